import FirstlightModel
import Reports
import SystemSupport

extension DeadCodeList {
  /// The extent of the recordings, the functions, then sums.
  func document(_ references: ReferenceText?, _ paths: SourcePaths) -> Document {
    if let change { return document(change, references, paths) }
    var rest = self
    rest.rows.removeAll(where: \.isCalledByTestsAlone)
    let tables = DeadTables(list: self, references: references, paths: paths)
    let parts = rest.parts
    let listed = tables.of(parts.dead, references).listing
    let watched = parts.inWindows.map { tables.of($0, nil).listing }
    let missing =
      missingFiles.isEmpty
      ? []
      : [
        "\(CountText.text(missingFiles.count, "source file")) not found, so their keep "
          + "comments are ignored: pass their new place with --path-map FROM=TO."
      ]
    let untested =
      tests == nil || showsAll || rest.rows.isEmpty
      ? nil
      : "Called by neither the program nor its tests: \(TestedText.sums(rest.rows))"
    var blocks: [Document.Block?] = [
      .lines(sentences + missing), tables.testedAlone.map { .table($0) },
      untested.map { .paragraph([$0]) },
    ]
    blocks += listed.map { .table($0) }
    if let watched {
      blocks.append(.paragraph([DeadSentences.inWindows(self)]))
      blocks += watched.map { .table($0) }
    }
    blocks += DeadSentences.leftOut(self).map { .paragraph([$0]) }
    blocks += (tables.notes + [tables.coverage, tables.sums, tables.owners]).map { table in
      table.map { .table($0) }
    }
    return Document(blocks + [.lines(ends(references))])
  }

  /// For the summary of a CI job.
  func summary(_ references: ReferenceText?, _ paths: SourcePaths) -> Document {
    if let change { return document(change, references, paths) }
    let parts = parts
    let tables = DeadTables(list: self, references: references, paths: paths)
    return Document([
      .title(DeadSentences.title(self)), .lines(sentences + ends(references)),
      .table(tables.of(parts.dead, references).summary(nil)),
      parts.inWindows.map { .table(tables.of($0, nil).summary(DeadSentences.inWindows(self))) },
      .lines(DeadSentences.leftOut(self)),
      tables.coverage.map { .table($0) },
    ])
  }

  var sentences: [String] {
    DeadSentences.observation(report.observation) + TestedText.observation(self)
      + DeadSentences.notes(self)
  }

  func ends(_ references: ReferenceText?) -> [String] {
    [references.flatMap { DeadSentences.deletable(self, $0) }, TestedText.sum(self)]
      .compactMap(\.self)
  }

  /// The list without the functions that windows alone recorded, and the list of these; nil if there are none, or if
  /// all functions are shown with their verdicts.
  private var parts: (dead: DeadCodeList, inWindows: DeadCodeList?) {
    guard !showsAll, rows.contains(where: DeadCodeList.isInWindows) else { return (self, nil) }
    var (dead, inWindows) = (self, self)
    dead.rows.removeAll(where: DeadCodeList.isInWindows)
    inWindows.rows.removeAll { !DeadCodeList.isInWindows($0) }
    inWindows.limit = limit.map { max(0, $0 - dead.rows.count) }
    return (dead, inWindows)
  }
}
