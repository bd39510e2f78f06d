/// A path in the form of patches.
struct PatchPath {
  /// Quoted if git would parse it differently otherwise (core.quotePath of git-config(1)).
  let quoted: String
  private let hasSpace: Bool

  init(_ path: String) {
    let isPlain = path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c && $0 != 0x7f }
    quoted = isPlain ? path : "\"" + path.utf8.map(Self.escaped).joined() + "\""
    hasSpace = isPlain && path.contains(" ")
  }

  /// The form on a separate line: a tab marks the end of a path with spaces.
  var lineText: String { hasSpace ? quoted + "\t" : quoted }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\t"): return "\\t"
    case 0x20..<0x7f: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
  }
}
