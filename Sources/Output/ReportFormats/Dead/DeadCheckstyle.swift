import DeadCode
import TextFormatting

/// A never-called list as Checkstyle's XML, which many build servers read.
enum DeadCheckstyle {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) -> String {
    var byFile: [String: [FunctionReport]] = [:]
    for row in list.dead { byFile[row.file.map(paths.relative) ?? "", default: []].append(row) }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n"
    for (file, rows) in byFile.sorted(by: { $0.key < $1.key }) {
      text += "  <file name=\"\(escaped(file))\">\n"
      for row in rows {
        text +=
          "    <error line=\"\(max(row.line, 1))\" severity=\"warning\" "
          + "message=\"\(escaped(DeadSentences.text(row, references: references)))\" "
          + "source=\"firstlight.\(row.verdict == .neverCalled ? "never-called" : "below-threshold")\"/>\n"
      }
      text += "  </file>\n"
    }
    return text + "</checkstyle>\n"
  }

  /// XML cannot represent most control characters.
  private static func escaped(_ text: String) -> String {
    HTML.escaped(
      String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 32 })))
  }
}
