/// Never-called functions that are known already, by what tells them from all others.
public struct Baseline: Hashable, Sendable {
  public var identities: Set<String>

  public init(identities: Set<String>) { self.identities = identities }

  /// All that a report lists.
  public init(of report: DeadCodeReport) {
    identities = Set(report.listed.map(\.identity))
  }
}
