/// Makes foreign text safe for each place that we write it to. All work on bytes or Unicode scalars: a combining mark
/// behind a quotation mark makes another `Character` of it, but not for the reader.
package enum Escaping {
  // MARK: Terminals and text files

  /// Replaces characters that end a line, move a terminal's cursor or change the writing direction by their escapes in
  /// source code: `\n`, `\x1b`, `\u{202e}`.
  package static func terminal(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    return replaced(text) { scalar in
      switch scalar.value {
      case 0x0a: "\\n"
      case 0x0d: "\\r"
      case 0x09: "\\t"
      case 0..<0x20, 0x7f: "\\x" + hex(UInt8(scalar.value), uppercase: false)
      // Control characters of ISO 6429, ends of lines and directions of Unicode.
      case 0x80..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: scalar.wildByte.map { "\\x" + hex($0, uppercase: false) }
      }
    }
  }

  /// For a comment of C and of linker scripts.
  package static func comment(_ text: String) -> String {
    terminal(text).replacing(utf8: "*/", with: "*\\/")
  }

  // MARK: Shells, programs and their files

  /// A word of a command line, quoted if a shell needs that.
  package static func shellWord(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy(isPlainInShell)
    return isPlain ? word : "'" + word.replacing(utf8: "'", with: "'\\''") + "'"
  }

  /// A part of a shell's word in double quotes.
  package static func inDoubleQuotes(_ text: String) -> String {
    replaced(text) { "\\\"$`".unicodeScalars.contains($0) ? "\\" + String($0) : nil }
  }

  private static func isPlainInShell(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
      UInt8(ascii: "="),
      UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "%"):
      true
    default: byte.isASCIILetter || byte.isASCIIDigit
    }
  }

  /// A word of a compiler's response file.
  package static func responseFileWord(_ word: String) -> String {
    "\"" + withBackslashes(word) + "\""
  }

  /// A text literal of JSON, where no encoder is at hand.
  package static func jsonText(_ text: String) -> String {
    "\""
      + replaced(text) { scalar in
        switch scalar.value {
        case 0x22, 0x5c: "\\" + String(scalar)
        case 0..<0x20: "\\u00" + hex(UInt8(scalar.value), uppercase: false)
        default: nil
        }
      } + "\""
  }

  /// A path in the stream of git-fast-import(1).
  package static func gitPath(_ path: String) -> String {
    "\"" + withBackslashes(path).replacing(utf8: "\n", with: "\\n") + "\""
  }

  /// A text literal of ClickHouse.
  package static func clickHouseText(_ text: String) -> String {
    "'" + replaced(text) { $0 == "'" || $0 == "\\" ? "\\" + String($0) : nil } + "'"
  }

  // MARK: HTML

  /// Between tags, and in quoted attributes. What `terminal` replaces is replaced alike, except line ends and tabs.
  package static func html(_ text: String) -> String {
    replaced(text) { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "\n", "\r", "\t": nil
      default: shown(scalar)
      }
    }
  }

  /// JSON in a script element, which names in it could end, or begin a comment. The script shows names as `html` does.
  package static func scriptData(json: String) -> String {
    replaced(json) { scalar in
      switch scalar {
      case "<": "\\u003c"
      case "\n", "\r", "\t": nil
      default: shown(scalar).map { "\\" + $0 }
      }
    }
  }

  // MARK: Tables and reports

  /// A cell of comma-separated values (RFC 4180).
  package static func csv(_ cell: String) -> String {
    guard cell.utf8.contains(where: { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }) else { return cell }
    return "\"" + cell.replacing(utf8: "\"", with: "\"\"") + "\""
  }

  /// A paragraph, a heading or a cell of a table of GitHub's Markdown.
  package static func markdown(_ text: String) -> String {
    replaced(terminal(text)) {
      "\\`*_[]<>&|~#".unicodeScalars.contains($0) ? "\\" + String($0) : nil
    }
  }

  /// A code span for a cell of a table. A backslash escapes a bar only there.
  package static func markdownCode(_ text: String) -> String {
    guard !text.isEmpty else { return "" }
    let text = terminal(text)
    let longest = text.utf8.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    // Readers remove one blank on each side. The blanks separate a backtick from the fence.
    let padding = longest > 0 ? " " : ""
    return fence + padding + text.replacing(utf8: "|", with: "\\|") + padding + fence
  }

  /// The message of a command with which GitHub Actions annotates a source.
  package static func annotationMessage(_ text: String) -> String {
    replaced(text) { "%\r\n".unicodeScalars.contains($0) ? percent(String($0)) : shown($0) }
  }

  /// A property of such a command.
  package static func annotationProperty(_ text: String) -> String {
    replaced(text) { "%\r\n:,".unicodeScalars.contains($0) ? percent(String($0)) : shown($0) }
  }

  // MARK: Addresses and metrics

  /// A path in a URI (RFC 3986, section 3.3).
  package static func uriPath(_ path: String) -> String { percent(path, except: "/") }

  /// A key or a value in a URL's query.
  package static func urlValue(_ text: String) -> String { percent(text) }

  /// The value of a Prometheus label, between its quotation marks.
  package static func prometheusValue(_ text: String) -> String {
    withBackslashes(text).replacing(utf8: "\n", with: "\\n")
  }

  /// The name of a metric or a label in Prometheus, which has ASCII letters, digits and underscores.
  package static func prometheusName(_ text: String) -> String {
    String(
      decoding: text.utf8.map { $0 < 0x80 && $0.isWordPart ? $0 : UInt8(ascii: "_") },
      as: UTF8.self)
  }
}

extension Escaping {
  /// A character's form for terminals; nil if it is safe there as it is.
  private static func shown(_ scalar: Unicode.Scalar) -> String? {
    if (0x20..<0x7f).contains(scalar.value) { return nil }
    let form = terminal(String(scalar))
    return form.unicodeScalars.first == scalar ? nil : form
  }

  private static func replaced(_ text: String, _ escape: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if let escape = escape(scalar) {
        result += escape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func withBackslashes(_ text: String) -> String {
    replaced(text) { $0 == "\"" || $0 == "\\" ? "\\" + String($0) : nil }
  }

  /// Percent-encodes all bytes but the unreserved ones of RFC 3986.
  private static func percent(_ text: String, except also: StaticString = "") -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): break
      case _ where byte.isASCIILetter || byte.isASCIIDigit: break
      case _ where also.withUTF8Buffer({ $0.contains(byte) }): break
      default:
        result += "%" + hex(byte, uppercase: true)
        continue
      }
      result.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return result
  }

  private static func hex(_ byte: UInt8, uppercase: Bool) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: uppercase)
  }
}
