import StartupCost
import SymbolOrdering

/// What linking a program anew for its start-up came to.
public struct Optimization: Sendable {
  /// Something else that could be done, at a price.
  public struct Priced: Sendable {
    public var name: String
    public var gain: String
    /// At most so many pages of 4 KiB.
    public var pages: Int
    public var price: String

    public init(name: String, gain: String, pages: Int, price: String) {
      self.name = name
      self.gain = gain
      self.pages = pages
      self.price = price
    }
  }

  /// A is the program as its user builds it, B the new one.
  public var comparison: StartupComparison
  public var verification: OrderVerification
  /// Nil: it does not prefetch.
  public var prefetch: PrefetchRanges?
  public var recordedRuns: Int
  /// Whether relative relocations are packed.
  public var isPacked: Bool
  /// What was not done without being asked for.
  public var priced: [Priced]

  public init(
    comparison: StartupComparison, verification: OrderVerification, prefetch: PrefetchRanges?,
    recordedRuns: Int, isPacked: Bool, priced: [Priced]
  ) {
    self.comparison = comparison
    self.verification = verification
    self.prefetch = prefetch
    self.recordedRuns = recordedRuns
    self.isPacked = isPacked
    self.priced = priced
  }
}
