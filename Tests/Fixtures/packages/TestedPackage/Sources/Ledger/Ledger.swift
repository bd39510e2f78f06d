import Dep

/// What was earned and spent.
public struct Ledger: Sendable {
  private var entries: [Entry] = []

  public init() {}

  /// Tested by XCTest.
  public mutating func add(_ entry: Entry) {
    entries.append(entry)
  }

  /// Tested by XCTest.
  public func total() -> Int {
    entries.reduce(0) { $0 + $1.cents }
  }

  /// Tested by Swift Testing.
  public func euros() -> Int {
    roundedEuros(cents: total())
  }

  /// Tested by Swift Testing.
  public func names() -> [String] {
    entries.map(\.name).sorted()
  }

  /// Tested by nobody.
  public func untestedLargest() -> Entry? {
    entries.max { $0.cents < $1.cents }
  }

  /// Tested by nobody.
  public mutating func untestedRemoveAll() {
    entries.removeAll()
  }
}
