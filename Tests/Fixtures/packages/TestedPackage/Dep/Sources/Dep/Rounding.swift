/// Rounds cents to whole euros, half up.
public func roundedEuros(cents: Int) -> Int {
  (cents + 50) / 100
}

public func dependencyNeverCalled(cents: Int) -> Int {
  cents / 100
}
