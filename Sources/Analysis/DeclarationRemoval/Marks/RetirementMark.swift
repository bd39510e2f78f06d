/// The text of a deprecation that Firstlight wrote: since when nothing called a function.
package struct RetirementMark: Hashable, Sendable {
  /// Days of the first and the last recording: "2026-08-01".
  package var from: String
  package var to: String
  package var runs: Int

  package init(from: String, to: String, runs: Int) {
    self.from = from
    self.to = to
    self.runs = runs
  }

  package var text: String {
    "\(Self.start)\(from) to \(to) in \(runs) \(runs == 1 ? "run" : "runs")\(Self.end)"
  }

  /// The mark in a text with this form anywhere.
  package init?(in text: some StringProtocol) {
    let form = /never called from ([\d-]{10}) to ([\d-]{10}) in (\d+) runs? \(firstlight\)/
    guard let match = String(text).firstMatch(of: form), let runs = Int(match.3) else { return nil }
    self.init(from: String(match.1), to: String(match.2), runs: runs)
  }

  static let start = "never called from "
  package static let end = " (firstlight)"
}

/// A declaration with a mark.
package struct MarkedDeclaration: Hashable, Sendable {
  package var mark: RetirementMark
  /// From the mark to the end of the declaration, from 1.
  package var lines: ClosedRange<Int>
  /// In C, names that the declaration may declare, each before a parenthesis.
  package var names: [String]
  /// The bytes to remove with the mark.
  package var range: Range<Int>
}

/// Marks to add to a source file.
package struct SourceMarking: Hashable, Sendable {
  package struct Insertion: Hashable, Sendable {
    package var place: Int
    package var text: String
  }

  package var marked: [DeclarationTarget] = []
  package var kept: [DeclarationTarget: KeepingReason] = [:]
  package var insertions: [Insertion] = []

  package init() {}
}

extension SourceLines {
  /// A mark before a declaration, on a line of its own if the declaration begins one.
  func insertion(of mark: String, before place: Int) -> SourceMarking.Insertion {
    let start = start(of: place)
    guard isBlank(start..<place) else { return .init(place: place, text: mark + " ") }
    let indent = String(decoding: bytes[start..<place], as: UTF8.self)
    let end = bytes[..<self.end(of: place)].suffix(2).elementsEqual("\r\n".utf8) ? "\r\n" : "\n"
    return .init(place: place, text: mark + end + indent)
  }

  /// The bytes of a mark, with its line or the space behind it.
  func withSpace(_ range: Range<Int>) -> Range<Int> {
    let (start, end) = (start(of: range.lowerBound), end(of: max(range.upperBound - 1, 0)))
    if isBlank(start..<range.lowerBound), isBlank(range.upperBound..<end) { return start..<end }
    var next = range.upperBound
    while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
    return range.lowerBound..<next
  }
}
