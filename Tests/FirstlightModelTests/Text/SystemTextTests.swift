import FirstlightModel
import Foundation
import Testing

@Suite struct SystemTextTests {
  @Test(arguments: [
    [], Array("a/b".utf8), Array("caf\u{e9} \u{1f600}".utf8), [0xff], [0x61, 0xc3], [0xc3, 0x28],
    [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x8f, 0xbe, 0x80], [0xf4, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90],
    [0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98, 0x80],
  ])
  func bytesComeBack(bytes: [UInt8]) {
    let text = String(systemBytes: bytes)
    #expect(text.systemBytes == bytes)
    #expect(
      text.withSystemText {
        Array(String(cString: $0).utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8)
      })
  }

  @Test func anyBytesComeBack() {
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      // Bytes that begin, continue and end sequences, more often than others.
      let bytes = (0..<Int.random(in: 0..<12, using: &numbers)).map { _ in
        [
          0xf4, 0x8f, 0xbe, 0xbf, 0x80, 0xc3, 0xa9, 0x61,
          UInt8.random(in: 1...255, using: &numbers),
        ]
        .randomElement(using: &numbers)!
      }
      #expect(String(systemBytes: bytes).systemBytes == bytes)
    }
  }

  @Test func textStaysAsItIs() {
    #expect(String(systemBytes: "caf\u{e9}".utf8) == "caf\u{e9}")
    #expect("in".withSystemText { strlen($0) } == 2)
  }

  @Test func terminalsShowTheBytes() {
    #expect(Escaping.terminal(String(systemBytes: [0x69, 0xff, 0x6e])) == "i\\xffn")
  }
}
