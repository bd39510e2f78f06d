/// A text that may come out of a file, as part of a line that a person reads: without line breaks and
/// control characters.
func oneLine(_ text: String) -> String {
  text.unicodeScalars.split { $0.value < 0x21 || (0x7f..<0xa0).contains($0.value) }
    .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
}
