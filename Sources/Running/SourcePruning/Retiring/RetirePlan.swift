import DeadCode
import DeclarationRemoval
import FirstlightModel
import NeverCalledListing
import TextFormatting

/// Marks functions that nothing called for long enough as deprecated, and takes back the marks of
/// those that were called.
package struct RetirePlan: SourcePlan {
  package enum Action: Hashable, Sendable {
    case mark(RetirementMark)
    /// Takes a mark back: its bytes, and the reason.
    case unmark(Range<Int>, String)
    /// Has a mark, or is not due.
    case none(isMarked: Bool)
  }

  package let candidates: [PruneCandidate]
  /// By candidate.
  let actions: [Action]
  private let sources: PruneSources
  package var root: String { sources.root }

  init(_ candidates: [PruneCandidate], _ actions: [Action], sources: PruneSources) {
    self.candidates = candidates
    self.actions = actions
    self.sources = sources
  }

  /// The candidates that change.
  package var due: Set<Int> {
    Set(candidates.indices.filter { if case .none = actions[$0] { false } else { true } })
  }

  /// Candidates that have a mark already, and keep it.
  var markedCount: Int { actions.count { $0 == .none(isMarked: true) } }

  package func path(of file: String) -> String? { sources.path(of: file) }

  // MARK: Patches

  /// Marks only functions whose callers are marked, too: the others would warn.
  package func patch(of chosen: Set<Int>) -> PrunePatch {
    var patch = PrunePatch()
    patch.changes = settle(chosen.intersection(due), &patch, heldBy: warns) { _, user, _ in
      .unmarkedCaller(candidates[user].name)
    } change: {
      changes(of: $0, &$1)
    }
    return patch
  }

  /// Whether a candidate has no mark, so that compilers would warn of marked functions that it calls.
  private func warns(_ number: Int) -> Bool {
    if case .mark = actions[number] { return true }
    return actions[number] == .none(isMarked: false)
  }

  private func changes(
    of changed: Set<Int>, _ kept: inout [Int: PruneKeeping]
  ) -> [FileChange] {
    var edits: [String: [FileChange.Edit]] = [:]
    var marks: [String: [(number: Int, target: DeclarationTarget, mark: RetirementMark)]] = [:]
    for number in changed.sorted() {
      let candidate = candidates[number]
      switch actions[number] {
      case .mark(let mark):
        if (try? sources.isRecursive(candidate.definition)) == true {
          kept[number] = .declaration(.recursive)
          continue
        }
        for place in places(of: candidate) {
          marks[place.file, default: []].append((number, place.target, mark))
        }
      case .unmark(let range, _):
        edits[candidate.definition.file, default: []].append(.init(range))
      case .none: break
      }
    }
    for (file, marks) in marks {
      let texts = Dictionary(
        marks.map { ($0.target, $0.mark) }, uniquingKeysWith: { first, _ in first })
      let mainFiles = Dictionary(
        marks.map { ($0.target, candidates[$0.number].definition.file) },
        uniquingKeysWith: { first, _ in first })
      do throws(Failure) {
        let marking = try sources.marking(of: texts, in: file, mainFiles: mainFiles)
        for (number, target, _) in marks {
          if let reason = marking.kept[target] { kept[number] = .declaration(reason) }
        }
        edits[file, default: []] += marking.insertions.map {
          .init($0.place..<$0.place, Array($0.text.utf8))
        }
      } catch {
        for (number, _, _) in marks { kept[number] = .file(error.problem) }
      }
    }
    return edits.sorted { $0.key < $1.key }.compactMap { change($0.key, $0.value) }
  }

  private func change(_ file: String, _ edits: [FileChange.Edit]) -> FileChange? {
    guard let source = try? sources.bytes(of: file) else { return nil }
    let sorted = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var change = FileChange(path: file, source: source, removed: [])
    change.edits = sorted
    return sources.change(of: file, to: change.result)
  }

  /// In C, the declarations in headers, which callers see; otherwise the first declaration.
  private func places(of candidate: PruneCandidate) -> [PruneCandidate.Place] {
    let headers = candidate.declarations.filter { place in
      [".h", ".hh", ".hpp", ".hxx"].contains(where: place.file.hasSuffix)
    }
    guard headers.isEmpty else { return headers }
    let own = candidate.declarations.filter { $0.file == candidate.definition.file }
    let first = own.min { $0.target.line < $1.target.line }
    guard let first, first.target.line < candidate.target.line else {
      return [candidate.definition]
    }
    return [first]
  }

  // MARK: Texts

  package var verb: String { "deprecated" }

  package func text(of number: Int) -> String {
    let name = candidates[number].name
    return switch actions[number] {
    case .mark(let mark): "deprecates \(name): \(mark.text)"
    case .unmark(_, let reason): "takes back the mark of \(name): \(reason)"
    case .none: name
    }
  }

  package func note(on number: Int) -> String? {
    if case .unmark(_, let reason) = actions[number] { reason } else { nil }
  }

  package func sums(of patch: PrunePatch) -> String {
    let unmarked = unmarked(patch.removed)
    let marked = patch.removed.count - unmarked
    return [
      marked > 0 ? "deprecates \(CountText.text(marked, "function"))" : nil,
      unmarked > 0 ? "takes back \(CountText.text(unmarked, "mark"))" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
      + " in \(CountText.text(patch.changes.count, "file"))"
  }

  package func subject(of changed: [Int]) -> String {
    let unmarked = unmarked(changed)
    let marked = changed.count - unmarked
    let marks = "Deprecate \(CountText.text(marked, "function")) that never ran"
    if unmarked == 0 { return marks }
    let back = "ake back \(CountText.text(unmarked, "deprecation"))"
    return marked == 0 ? "T\(back)" : "\(marks), t\(back)"
  }

  package func reason(for changed: [Int]) -> String {
    let unmarked = unmarked(changed)
    return [
      changed.count > unmarked
        ? """
        No recorded run called what this deprecates, and at most functions
        that are deprecated, too, refer to it: nothing here warns.
        """ : nil,
      unmarked > 0 ? "Functions that ran lose their deprecation." : nil,
    ].compactMap { $0 }.joined(separator: "\n")
  }

  private func unmarked(_ numbers: [Int]) -> Int {
    numbers.filter { if case .unmark = actions[$0] { true } else { false } }.count
  }
}
