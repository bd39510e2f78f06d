import FirstlightModel
import Reports
import SystemSupport

/// The functions that changed since a commit, for people.
enum ChangeText {
  /// `Changed since main (merge base 1a2b3c4): 12 functions in 4 files`.
  static func heading(_ list: DeadCodeList, _ change: SourceChange) -> String {
    let rows = Verdict.Answer.allCases.flatMap(list.changed)
    let files = Set(texts: rows.compactMap(\.file)).count
    return "Changed since \(change.revision) (merge base \(change.mergeBase.prefix(7))): "
      + (rows.isEmpty
        ? "no recorded function"
        : "\(CountText.text(rows.count, "function")) in \(CountText.text(files, "file"))")
  }

  /// What the recording does not show of a change, one sentence a line.
  static func gaps(_ change: SourceChange, _ paths: SourcePaths) -> [String] {
    var lines: [String] = []
    func add(_ files: [String], _ text: (Int) -> String) {
      guard !files.isEmpty else { return }
      let names = files.map(paths.shown).sortedByBytes()
      let more = names.count - mostNames
      lines.append(
        "\(text(names.count)): " + names.prefix(mostNames).joined(separator: ", ")
          + (more > 0 ? " and \(CountText.number(more)) more" : "") + ".")
    }
    add(change.outdated) {
      "\(CountText.text($0, "file")) changed after the build or the recording, so nothing is known of "
        + "\($0 == 1 ? "its" : "their") functions; build and record again"
    }
    add(change.unrecorded) {
      "\(CountText.text($0, "source file")) without a recorded function (not linked, or for another platform?)"
    }
    add(change.submodules) {
      "\(CountText.text($0, "submodule")) at another commit, to compare in "
        + "\($0 == 1 ? "its own repository" : "their own repositories")"
    }
    if change.linesOutside > 0 {
      lines.append(
        "\(CountText.text(change.linesOutside, "changed line")) in no recorded function: types, "
          + "constants, macros, comments.")
    }
    return lines
  }

  /// The functions that contain changed macros; empty if there are none.
  static func macros(_ list: DeadCodeList, _ change: SourceChange) -> [String] {
    guard !change.reached.isEmpty else { return [] }
    let rows = list.report.select { change.reached.contains($0.identity) && list.isInCode($0) }
    let counts = Dictionary(grouping: rows) { $0.verdict.answer ?? .unknown }
    let parts = Verdict.Answer.allCases.compactMap { answer -> String? in
      guard let rows = counts[answer] else { return nil }
      let names = rows.map(\.shortName).prefix(mostNamed).joined(separator: ", ")
      let more = rows.count - mostNamed
      return "\(CountText.number(rows.count)) \(answer.rawValue) (\(names)"
        + (more > 0 ? " and \(CountText.number(more)) more)" : ")")
    }
    return rows.isEmpty
      ? []
      : [
        "Changed macros are in \(CountText.text(rows.count, "other function")): "
          + parts.joined(separator: ", ") + "."
      ]
  }

  private static let mostNamed = 3
  private static let mostNames = 10

  /// The heading and the gaps for a page; empty for other lists.
  static func lines(_ list: DeadCodeList, _ paths: SourcePaths) -> [String] {
    list.change.map { [heading(list, $0) + "."] + macros(list, $0) + gaps($0, paths) } ?? []
  }
}

extension DeadCodeList {
  /// The functions of a change by answer.
  func document(
    _ change: SourceChange, _ references: ReferenceText?, _ paths: SourcePaths
  ) -> Document {
    let called = changed(.called).filter { !Self.isDead($0) }
    let kept = changed(.neverCalled).filter { $0.verdict == .kept }
    let unknown = changed(.unknown)
    let counts = [
      (dead.count, "never called" + (below == nil ? "" : ", or in fewer runs than --below")),
      (knownCount, "never called, in the baseline"),
      (unknown.count, "unknown: may have run unseen"),
      (called.count, "called"), (kept.count, "never called, kept on purpose"),
    ].filter { $0.0 > 0 }
    let tables = DeadTables(list: self, references: references, paths: paths)
    func table(
      _ caption: String, _ rows: some Sequence<FunctionReport>,
      _ note: (FunctionReport) -> String
    ) -> Document.Block? {
      let cells = rows.map { row in
        [
          CountText.bytes(row.bytes), tables.shownName(row), paths.place(row) ?? row.moduleLabel,
          change.isNew(row) ? "new" : "", note(row),
        ]
      }
      guard !cells.isEmpty else { return nil }
      return .table(
        Document.Table(
          caption,
          [
            .number(""), .code(""), .code(""), .text("", optional: true),
            .text("", optional: true, folded: true),
          ], cells, most: limit ?? 0, rest: { "and \(CountText.number($0)) more: raise --limit" }))
    }
    let heading = ChangeText.heading(self, change)
    let gaps = ChangeText.macros(self, change) + ChangeText.gaps(change, paths)
    return Document([
      counts.isEmpty
        ? .lines([heading + "."])
        : .table(
          Document.Table(
            heading, [.number(""), .text("")], counts.map { [CountText.number($0.0), $0.1] })),
      table("Never called", dead) { references?.text($0.identity) ?? "" },
      table("Unknown", unknown) { DeadSentences.label($0.verdict) },
      showsAll ? table("Called", called) { _ in "" } : nil,
      showsAll ? table("Kept on purpose", kept) { $0.keepReason ?? "" } : nil,
      gaps.isEmpty ? nil : .paragraph(gaps),
      .paragraph(sentences + ends(references) + [DeadSentences.foreign(self)].compactMap(\.self)),
    ])
  }
}
