import FirstlightModel

/// What the machine allows in one respect.
package struct MachineFinding: Hashable, Sendable {
  package enum State: String, Sendable {
    /// Fully available.
    case available
    /// Something is missing, but there is an alternative.
    case limited
    case missing
    /// A neutral fact.
    case note
  }

  /// The name in JSON.
  package let id: String
  package let title: String
  package let state: State
  /// The observed fact.
  package let value: String
  /// Features that are missing or reduced; empty if none.
  package let cost: String
  /// The advice; empty if there is nothing to do.
  package let advice: String

  package init(
    _ id: String, _ title: String, _ state: State, _ value: String, cost: String = "",
    advice: String = ""
  ) {
    (self.id, self.title, self.state, self.value) = (id, title, state, value)
    (self.cost, self.advice) = (cost, advice)
  }
}
