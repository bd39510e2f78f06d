import DeadCode
import DeclarationRemoval
import FirstlightModel
import NeverCalledListing
import ReferenceIndex

/// The marks in a project's sources, and the functions that have them.
struct FoundMarks {
  struct Found {
    var file: String
    var declaration: MarkedDeclaration
    /// Rows of the report that the declaration declares.
    var rows: [FunctionReport]
  }

  private(set) var found: [Found] = []

  init(_ answer: NeverCalledAnswer, _ sources: PruneSources) {
    var byFile: [String: [Int]] = [:]
    var byName: [String: [Int]] = [:]
    let report = answer.list.report
    for number in report.functions.indices {
      // Without a piece of its own, a copy or a default argument is no evidence of a call.
      guard let file = report.functions[number].file else { continue }
      byFile[file, default: []].append(number)
      byName[report.functions[number].mangledName, default: []].append(number)
    }
    let indexed = answer.references?.index.files.map(\.path) ?? []
    for file in Set(byFile.keys).union(indexed).sorted() {
      for declaration in sources.marked(in: file) {
        let numbers =
          file.hasSuffix(".swift")
          ? (byFile[file] ?? []).filter {
            declaration.lines.contains(report.functions[$0].line)
          }
          : declaration.names.lazy.compactMap { byName[$0] }.first ?? []
        // Functions that are local to a file have its name.
        let here = numbers.filter { report.functions[$0].file == file }
        let rows = (here.isEmpty ? numbers : here).map { report.functions[$0] }
        found.append(Found(file: file, declaration: declaration, rows: rows))
      }
    }
  }

  /// By candidate: its mark.
  func marks(of candidates: [PruneCandidate]) -> [Int: RetirementMark] {
    let numbers = Dictionary(
      candidates.enumerated().map { ($1.identity, $0) }, uniquingKeysWith: { first, _ in first })
    var marks: [Int: RetirementMark] = [:]
    for mark in found {
      for row in mark.rows {
        if let number = numbers[row.identity] { marks[number] = mark.declaration.mark }
      }
    }
    return marks
  }
}
