import FirstlightModel
import Foundation

/// Reads a `.sancov` file: the PCs that one process reached in one image (LLVM's SanitizerCoverage
/// documentation, "Sancov data format").
package enum SancovFile {
  package static func calls(in path: String, _ places: FunctionPlaces) throws(Failure)
    -> ImportedCalls
  {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    let bytes = [UInt8](data)
    func damaged(_ what: String) -> Failure {
      Failure(.data, "\(path): \(what)", advice: "use a .sancov file written by a sanitizer")
    }
    guard bytes.count >= 8, number(bytes, 0, 8) >> 8 == 0xc0bf_ffff_ffff_ff else {
      throw damaged("not a .sancov file")
    }
    let size: Int
    switch bytes[0] {
    case 0x64: size = 8
    case 0x32: size = 4
    default: throw damaged("PCs of an unknown size")
    }
    guard (bytes.count - 8) % size == 0 else { throw damaged("ends within a PC") }
    var calls = ImportedCalls(digest: RunDigest.text(bytes))
    for place in stride(from: 8, to: bytes.count, by: size) {
      if let index = places.guardIndex(at: number(bytes, place, size)) {
        calls.guards.insert(index)
        calls.known += 1
      } else {
        calls.unknown += 1
      }
    }
    return calls
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    (0..<size).reversed().reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
  }
}
