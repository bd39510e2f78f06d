/// What a machine allows in one respect.
package struct MachineFinding: Hashable, Sendable {
  package enum State: String, Sendable {
    /// As good as it gets.
    case available
    /// Something is missing, and there is another way.
    case limited
    case missing
    /// Neither good nor bad.
    case note
  }

  /// Names it in JSON.
  package let id: String
  package let title: String
  package let state: State
  /// What was found.
  package let value: String
  /// What does not work, or works less well; empty if nothing.
  package let cost: String
  /// What to do about it; empty if there is nothing to do.
  package let advice: String

  package init(
    _ id: String, _ title: String, _ state: State, _ value: String, cost: String = "",
    advice: String = ""
  ) {
    (self.id, self.title, self.state, self.value) = (id, title, state, value)
    (self.cost, self.advice) = (cost, advice)
  }
}
