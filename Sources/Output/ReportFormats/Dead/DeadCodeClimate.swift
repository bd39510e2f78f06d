import DeadCode
import FirstlightModel
import TextFormatting

/// A never-called list as a Code Climate report, GitLab's format for code quality.
enum DeadCodeClimate {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) throws(Failure) -> String {
    let issues: [JSONObject] = list.dead.filter { $0.file != nil }.map { row in
      let isNeverCalled = row.verdict == .neverCalled
      let check = isNeverCalled ? "never-called" : "below-threshold"
      let place: JSONObject = [
        "path": row.file.map(paths.relative), "lines": ["begin": max(row.line, 1)],
      ]
      return [
        "type": "issue", "check_name": check, "categories": ["Clarity"], "location": place,
        "description": DeadSentences.text(row, references: references),
        "severity": isNeverCalled ? "minor" : "info",
        "fingerprint": Fingerprint.text(row.identity + "\0" + check),
      ]
    }
    return try JSONForm.pretty(issues)
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
