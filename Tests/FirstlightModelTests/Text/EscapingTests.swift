import FirstlightModel
import Foundation
import TestSupport
import Testing

/// Marks that make one character of a separator and its neighbour.
private let (mark, prepended) = ("\u{301}", "\u{600}")

@Suite struct EscapingTests {
  /// Oracle: the shell.
  @Test(arguments: [
    "plain", "a b", "it's", "$HOME", "", "*", "a'\(mark)$(touch x)'\(mark)", "\(prepended)&id",
    "\u{600}",
    "`id`", "a\n b", "caf\u{e9}", "~", "#",
  ])
  func wordsSurviveAShell(word: String) throws {
    let printed = try Command.check(["sh", "-c", "printf %s \(Escaping.shellWord(word))"])
    #expect(Array(printed.utf8) == Array(word.utf8))
  }

  /// Oracle: the compiler.
  @Test(arguments: ["plain", "a b", "it's", "a\"\(mark)b", "a\\\(mark)b", "caf\u{e9}"])
  func wordsSurviveAResponseFile(word: String) throws {
    let folder = try TemporaryDirectory()
    for (name, text) in [(word, "found"), ("words", Escaping.responseFileWord("./\(word)"))] {
      try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    }
    let printed = try Command.check(["cc", "-E", "-xc", "@words"], in: folder.url)
    #expect(printed.contains("found"))
  }

  /// Oracle: a JSON parser.
  @Test(arguments: ["plain", "a\"\(mark)", "\\\(mark)", "a\n\u{1}\u{7f}", "\(prepended)\""])
  func textSurvivesJSON(text: String) throws {
    let read = try JSONDecoder().decode(
      [String].self, from: Data("[\(Escaping.jsonText(text))]".utf8))
    #expect(Array(read[0].utf8) == Array(text.utf8))
  }

  @Test func markupDoesNotEndItsElement() {
    #expect(
      !Escaping.html("\(prepended)<b>\(mark)\"\(mark)'\(mark)&").utf8.contains {
        "<>\"'".utf8.contains($0)
      })
    let json = Escaping.scriptData(json: "[\"\(prepended)</script>\(mark)<\(mark)!--\"]")
    #expect(!json.utf8.contains(UInt8(ascii: "<")))
    let read = try? JSONDecoder().decode([String].self, from: Data(json.utf8))
    #expect(read == ["\(prepended)</script>\(mark)<\(mark)!--"])
  }

  /// They would show other names than those that are meant.
  @Test(arguments: [0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0x1b])
  func pagesShowDirectionsAndControls(value: UInt32) throws {
    let (mark, shown) = (
      String(Unicode.Scalar(value)!), Escaping.terminal(String(Unicode.Scalar(value)!))
    )
    #expect(Escaping.html("a\n\(mark)b") == "a\n\(shown)b")
    let json = String(decoding: try JSONEncoder().encode(["a\n\(mark)b"]), as: UTF8.self)
    let read = try JSONDecoder().decode(
      [String].self, from: Data(Escaping.scriptData(json: json).utf8))
    #expect(read == ["a\n\(value == 0x1b ? mark : shown)b"])
  }

  /// Oracle: Python's reader.
  @Test func cellsStayOneCell() throws {
    let cells = ["a\"\(mark),b", "\(prepended),", "plain", "a\r\nb", "\"", ",\(mark)"]
    let row = cells.map(Escaping.csv).joined(separator: ",")
    let script = "import csv, json, sys; print(json.dumps(list(csv.reader(sys.stdin))[0]))"
    let printed = try Command.check(
      [
        "python3", "-c",
        "import sys; sys.stdin.reconfigure(encoding='utf-8', newline=''); \(script)",
      ],
      input: row)
    let read = try JSONDecoder().decode([String].self, from: Data(printed.utf8))
    #expect(read.map { Array($0.utf8) } == cells.map { Array($0.utf8) })
  }

  @Test func markdownStaysText() {
    #expect(
      Array(Escaping.markdown("`\(mark)<img>|\(mark)\(prepended)*").utf8)
        == Array("\\`\(mark)\\<img\\>\\|\(mark)\(prepended)\\*".utf8))
    #expect(
      Array(Escaping.markdownCode("b`\(mark)<|\(mark)").utf8)
        == Array("`` b`\(mark)<\\|\(mark) ``".utf8))
    #expect(Escaping.markdownCode("a|b") == "`a\\|b`" && Escaping.markdownCode("") == "")
  }

  @Test func annotationsKeepTheirProperties() {
    #expect(
      Array(Escaping.annotationProperty("a,\(mark)b:\(mark)\(prepended),%\r\n").utf8)
        == Array("a%2C\(mark)b%3A\(mark)\(prepended)%2C%25%0D%0A".utf8))
    #expect(Escaping.annotationMessage("50%: a,\r\nb") == "50%25: a,%0D%0Ab")
    #expect(Escaping.annotationMessage("\u{1b}[2J\u{202e}") == "\\x1b[2J\\u{202e}")
    #expect(Escaping.annotationProperty("\u{1b}a\u{61c}") == "\\x1ba\\u{61c}")
  }

  /// Oracle: Foundation.
  @Test(arguments: ["a b/c", "caf\u{e9}", "?#&=+%", "\(prepended)&\(mark)"])
  func addressesAreDecodedAgain(text: String) {
    for escaped in [Escaping.uriPath(text), Escaping.urlValue(text)] {
      #expect(escaped.utf8.allSatisfy { !"?#&=+ ".utf8.contains($0) && $0 < 0x80 })
      #expect(escaped.removingPercentEncoding.map { Array($0.utf8) } == Array(text.utf8))
    }
    #expect(Escaping.uriPath("a/b") == "a/b" && Escaping.urlValue("a/b") == "a%2Fb")
  }

  @Test(arguments: [
    ("\u{61c}", "\\u{61c}"), ("a\r\nb\t", "a\\r\\nb\\t"), ("\u{1b}[2J", "\\x1b[2J"),
    ("\u{202e}x\u{2069}", "\\u{202e}x\\u{2069}"), ("\u{9b}", "\\u{9b}"), ("caf\u{e9}", "caf\u{e9}"),
  ])
  func terminalsSeeNoControls(text: String, shown: String) {
    #expect(Escaping.terminal(text) == shown)
  }

  @Test func labelsKeepTheirQuotationMarks() {
    #expect(
      Array(Escaping.prometheusValue("a\"\(mark)\\\n").utf8) == Array("a\\\"\(mark)\\\\\\n".utf8))
    #expect(Escaping.prometheusName("a-caf\u{e9}_1") == "a_caf___1")
    #expect(Array(Escaping.clickHouseText("'\(mark)\\").utf8) == Array("'\\'\(mark)\\\\'".utf8))
    #expect(!Escaping.comment("*/\(mark)").containsUTF8("*/"))
  }
}
