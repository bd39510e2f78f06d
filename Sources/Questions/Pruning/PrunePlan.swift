import FirstlightModel
import NeverCalled
import ReferenceIndex
import SystemSupport

/// Makes patches that remove all or some of a list's candidates.
package struct PrunePlan {
  package let candidates: [PruneCandidate]
  let sources: PruneSources
  let index: ReferenceIndex?
  /// The folder that patches are applied in.
  package var root: String { sources.root }

  /// - Parameter index: shows whether code refers to a type; nil keeps all types.
  package init(_ candidates: [PruneCandidate], sources: PruneSources, index: ReferenceIndex?) {
    self.candidates = candidates
    self.sources = sources
    self.index = index
  }

  /// The path of a file from the root; nil if the file is elsewhere.
  package func path(of file: String) -> String? { sources.path(of: file) }

  /// The subject of a commit with these removals.
  package func subject(of changed: [Int]) -> String {
    let tests = tests(changed)
    let functions = CountText.text(rows(changed), "function")
    return tests == 0
      ? "Remove \(functions) that never ran"
      : "Remove \(functions) and \(CountText.text(tests, "function")) of tests"
  }

  /// The reason for such a commit, one paragraph.
  package func reason(for changed: [Int]) -> String {
    if tests(changed) > 0 {
      return """
        No recorded run of the program called these functions. At most functions
        and tests that go with them refer to them.
        """
    }
    return changed.count == 1
      ? "No recorded run called this function, and nothing refers to it."
      : """
      No recorded run called these functions, and at most functions that go
      with them refer to them.
      """
  }

  /// The reason for a candidate's removal, beside its references and age; nil: these are the reason.
  package func note(on number: Int) -> String? {
    candidates[number].isTest ? "tests nothing else" : nil
  }

  /// The header that declares a C function.
  private func header(of candidate: PruneCandidate) -> String? {
    DeletionCandidate.header(of: candidate.declarations).map {
      "\(path(of: $0) ?? $0) declares: other programs may call it"
    }
  }

  /// The rows of the never-called list that these candidates stand for, without tests.
  private func rows(_ numbers: [Int]) -> Int {
    numbers.reduce(0) { $0 + (candidates[$1].isTest ? 0 : candidates[$1].rows) }
  }

  private func tests(_ numbers: [Int]) -> Int { numbers.count { candidates[$0].isTest } }

  /// The removal of a candidate, for the user: "removes f()".
  package func text(of number: Int) -> String {
    let note = note(on: number) ?? header(of: candidates[number])
    return "removes \(candidates[number].name)" + (note.map { ", which \($0)" } ?? "")
  }

  /// "removes 2 functions (9 lines in 1 file)".
  package func sums(of patch: PrunePatch) -> String {
    let deleted = patch.changes.filter(\.isDeleted).count
    let tests = tests(patch.removed)
    return "removes \(CountText.text(rows(patch.removed), "function")) "
      + (tests > 0 ? "and \(CountText.text(tests, "function")) of tests (" : "(")
      + "\(CountText.text(patch.lineCount, "line")) in \(CountText.text(patch.changes.count, "file"))"
      + (deleted > 0 ? ", \(deleted) of them deleted)" : ")")
  }

  /// Removes these candidates, except those that must stay and those that they refer to.
  package func patch(of chosen: Set<Int>) -> PrunePatch {
    var patch = PrunePatch()
    sources.expect(chosen.lazy.map { candidates[$0].definition })
    for number in chosen { patch.kept[number] = candidates[number].keeping }
    let removals = settle(chosen.subtracting(patch.kept.keys), &patch) { removed, kept in
      let removals = self.removals(of: removed)
      for number in removed { kept[number] = refusal(of: candidates[number], removals) }
      return removals
    }
    add(removals, to: &patch)
    patch.unused = unused(without: patch.removed)
    return patch
  }

  /// Why a candidate's definition or a prototype cannot be removed. Prototypes elsewhere do no harm.
  private func refusal(
    of candidate: PruneCandidate, _ removals: [TextBytes: Result<SourceRemoval, Failure>]
  ) -> PruneKeeping? {
    for place in [candidate.definition] + candidate.declarations {
      switch removals[place.file] {
      case .success(let removal)?:
        guard let reason = removal.kept[place.target],
          place == candidate.definition || reason != .notFound
        else { continue }
        return .refused(.declaration(reason))
      case .failure(let failure)? where place == candidate.definition:
        return .refused(.file(failure.problem))
      case nil: return .refused(.file("its file is unknown"))
      default: continue
      }
    }
    return nil
  }

  /// Removes candidates, except those that must stay and those to which they refer. Each round may find more
  /// that must stay, and these keep others in turn. So this repeats until all the rest goes.
  private func settle(
    _ chosen: Set<Int>, _ patch: inout PrunePatch,
    removing remove: (Set<Int>, inout [Int: PruneKeeping]) -> [TextBytes: Result<
      SourceRemoval, Failure
    >]
  ) -> [TextBytes: Result<SourceRemoval, Failure>] {
    var removed = chosen
    while true {
      var staying = candidates.indices.filter { !removed.contains($0) }
      while let user = staying.popLast() {
        for used in candidates[user].uses where removed.remove(used) != nil {
          if patch.kept[used] == nil {
            patch.kept[used] = keeping(used, by: user, patch.kept[user])
          }
          staying.append(used)
        }
      }
      var kept: [Int: PruneKeeping] = [:]
      let removals = remove(removed, &kept)
      if kept.isEmpty {
        patch.removed = removed.sorted()
        return removals
      }
      patch.kept.merge(kept) { known, _ in known }
      removed.subtract(kept.keys)
    }
  }

  private func keeping(
    _ used: Int, by user: Int, _ reason: PruneKeeping?
  ) -> PruneKeeping {
    let name = candidates[user].name
    if candidates[used].isTest { return .tests(name) }
    guard candidates[user].isTest else { return .neededBy(name) }
    if case .liveCode(let live)? = reason { return .testOfLiveCode(name, live) }
    return .test(name, because: reason?.text ?? "it stays")
  }

  // MARK: Files

  private func removals(of removed: Set<Int>) -> [TextBytes: Result<SourceRemoval, Failure>] {
    var targets: [TextBytes: [DeclarationTarget]] = [:]
    var mainFiles: [TextBytes: [DeclarationTarget: String]] = [:]
    var entries: [TextBytes: [Int]] = [:]
    for number in removed.sorted() {
      let candidate = candidates[number]
      for place in candidate.entries {
        entries[place.file, default: []].append(place.target.line)
        targets[place.file, default: []] += []
      }
      for place in [candidate.definition] + candidate.declarations {
        if targets[place.file]?.contains(place.target) != true {
          targets[place.file, default: []].append(place.target)
          mainFiles[place.file, default: [:]][place.target] = candidate.definition.file
        }
      }
    }
    let symbols = Set(removed.map { candidates[$0].symbol })
    var result: [TextBytes: Result<SourceRemoval, Failure>] = [:]
    for (path, targets) in targets {
      let file = path.text
      result[path] = Result { () throws(Failure) in
        try sources.removal(of: targets, in: file, mainFiles: mainFiles[file] ?? [:]) {
          isUnreferenced($0, in: file, but: symbols)
        }.adding(lines: entries[file] ?? [], of: try sources.bytes(of: file))
      }
    }
    return result
  }

  /// Whether only removed functions refer to a type.
  private func isUnreferenced(
    _ type: DeclarationTarget, in file: String, but removed: Set<ReferenceIndex.Symbol>
  ) -> Bool {
    guard let index, let number = index.file(file) else { return false }
    let types = index.symbols(file: number, line: type.line).filter {
      index.traits[$0].kind.isType && index.name($0) == type.name
    }
    guard types.count == 1 else { return false }
    return index.references(to: types[0]).allSatisfy { reference in
      PrunableTests.isGenerated(index.files[reference.file].path)
        || reference.container.map { $0 == types[0] || removed.contains($0) } ?? false
    }
  }

  private func add(
    _ removals: [TextBytes: Result<SourceRemoval, Failure>], to patch: inout PrunePatch
  ) {
    var counts: [TextBytes: [DeclarationTarget: Int]] = [:]
    for (file, result) in removals.sorted(by: { $0.key < $1.key }) {
      guard case .success(let removal) = result, !removal.ranges.isEmpty else { continue }
      patch.emptied += removal.emptied
      let isDeleted = removal.isFileEmptied && !isOnlyFileOfModule(file.text, removals)
      if let change = sources.change(of: file.text, removal, isDeleted: isDeleted) {
        patch.changes.append(change)
        counts[file] = removal.lineCounts(in: change.source, isDeleted: isDeleted)
      }
    }
    for number in patch.removed {
      let candidate = candidates[number]
      for place in [candidate.definition] + candidate.declarations {
        patch.lines[number, default: 0] +=
          counts[place.file]?.removeValue(forKey: place.target) ?? 0
      }
    }
  }

  /// A target needs at least one file.
  private func isOnlyFileOfModule(
    _ file: String, _ removals: [TextBytes: Result<SourceRemoval, Failure>]
  ) -> Bool {
    guard let index, let number = index.file(file) else { return true }
    let module = index.files[number].module
    return !index.files.contains { other in
      guard other.module == module, other.path != file else { return false }
      if case .success(let removal)? = removals[other.path] { return !removal.isFileEmptied }
      return true
    }
  }
}

/// The removed and kept candidates.
package struct PrunePatch: Sendable {
  package var changes: [FileChange] = []
  /// Indices of changed candidates.
  package var removed: [Int] = []
  /// By index of a changed candidate: the lines that go with it.
  package var lines: [Int: Int] = [:]
  package var kept: [Int: PruneKeeping] = [:]
  /// Names of types and extensions that became empty.
  package var emptied: [String] = []
  /// What remains although only removed functions use it, with its place.
  package var unused: [String] = []

  /// Number of removed lines.
  package var lineCount: Int { changes.reduce(0) { $0 + $1.lineCount } }
}
