import Foundation
import TestSupport
import Testing

/// The table "Where a question is decided" of Documentation/Design.md leads to files that are there, and to few.
@Suite struct DecisionTableTests {
  private struct Step {
    var path: String
    /// What the file declares, if the table says so.
    var name: String?
  }

  private struct Row: CustomStringConvertible {
    var description: String
    var steps: [Step]
  }

  private static func rows() throws -> [Row] {
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Design.md"), encoding: .utf8)
    let table = try #require(page.components(separatedBy: "## Where a question is decided").last)
      .components(separatedBy: "\n## ")[0]
    return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      // A file without a folder lies beside the one before it.
      var folder = ""
      let steps = line.matches(of: /`([\w\/+.]+\.(?:swift|c|h))`(?:, `(\w+)`)?/).map { match in
        let named = String(match.1)
        if let end = named.lastIndex(of: "/") { folder = String(named[...end]) }
        let path = named.contains("/") ? named : folder + named
        return Step(
          path: path.hasPrefix("CSupport/") ? path : "Sources/" + path,
          name: match.2.map(String.init))
      }
      return Row(description: String(line.split(separator: "|")[0]), steps: steps)
    }
  }

  @Test func eachQuestionLeadsToAtMostFourFilesThatDeclareWhatIsSaid() throws {
    let rows = try Self.rows()
    #expect(rows.count > 8)
    for row in rows {
      #expect((1...4).contains(Set(row.steps.map(\.path)).count), "\(row)")
      for step in row.steps {
        let file = Toolchain.project.appending(path: step.path)
        let text = try #require(
          try? String(contentsOf: file, encoding: .utf8), "\(row): \(step.path)")
        guard let name = step.name else { continue }
        // Of Swift, or a function of C.
        let declared = try Regex(
          "\\b(func|var|let|case|struct|enum|class) \(name)\\b|^[\\w *]+ \\*?\(name)\\("
        )
        .anchorsMatchLineEndings()
        #expect(text.contains(declared), "\(row): \(step.path) declares no \(name)")
      }
    }
  }
}
