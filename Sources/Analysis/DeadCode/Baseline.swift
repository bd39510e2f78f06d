/// Known never-called functions, by their identities.
package struct Baseline: Hashable, Sendable {
  package var identities: Set<String>

  package init(identities: Set<String>) { self.identities = identities }

  /// The identities of all functions that a report lists.
  package init(of report: DeadCodeReport) {
    identities = Set(report.listed.map(\.identity))
  }
}
