/// One line of the ledger.
public struct Entry: Sendable {
  public let name: String
  public let cents: Int

  public init(name: String, cents: Int) {
    self.name = name
    self.cents = cents
  }
}
