/// A step of `optimize` that can be left out.
package enum OptionalStep: String, CaseIterable, Sendable {
  case conformances

  package static var help: String {
    "Step to leave out: \(allCases.map(\.rawValue).joined(separator: ", ")). Repeatable."
  }
}
