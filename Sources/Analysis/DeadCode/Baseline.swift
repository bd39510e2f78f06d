/// Never-called functions that are known already, by what tells them from all others.
package struct Baseline: Hashable, Sendable {
  package var identities: Set<String>

  package init(identities: Set<String>) { self.identities = identities }

  /// All that a report lists.
  package init(of report: DeadCodeReport) {
    identities = Set(report.listed.map(\.identity))
  }
}
