import DeadCode
import FirstlightModel
import TextFormatting

/// A never-called list as a Code Climate report, the form that GitLab reads code quality in.
enum DeadCodeClimate {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) throws(Failure) -> String {
    try JSONForm.pretty(list.dead.filter { $0.file != nil }.map { Issue($0, references, paths) })
  }

  private struct Issue: Encodable {
    struct Content: Encodable { var body: String }
    struct Place: Encodable {
      struct Lines: Encodable { var begin: Int }
      var path: String
      var lines: Lines
    }
    enum CodingKeys: String, CodingKey {
      case type, description, categories, location, severity, fingerprint
      case checkName = "check_name"
    }
    var type = "issue"
    var checkName, description: String
    var categories = ["Clarity"]
    var location: Place
    var severity, fingerprint: String

    init(_ row: FunctionReport, _ references: ReferenceText?, _ paths: SourcePaths) {
      checkName = row.verdict == .neverCalled ? "never-called" : "below-threshold"
      description = DeadSentences.text(row, references: references)
      location = Place(
        path: row.file.map(paths.relative) ?? "", lines: .init(begin: max(row.line, 1)))
      severity = row.verdict == .neverCalled ? "minor" : "info"
      fingerprint = Fingerprint.text(row.identity + "\0" + checkName)
    }
  }
}

/// A short digest that identifies a row from one report to the next.
enum Fingerprint {
  /// 128 bits in hexadecimal: FNV-1a of the text from both ends (Fowler, Noll and Vo).
  static func text(_ text: String) -> String {
    hash(text.utf8) + hash(text.utf8.reversed())
  }

  private static func hash(_ bytes: some Sequence<UInt8>) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
