/// A colour for a verdict, on terminals that show colours.
package enum TextColour: Int, Sendable {
  case bad = 31
  case good = 32
  case doubtful = 33

  /// The text between the sequences of ECMA-48 that begin and end the colour.
  package func applied(to text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}

extension String {
  /// The text in a colour; as it is without one.
  package func coloured(_ colour: TextColour?) -> String { colour?.applied(to: self) ?? self }
}
