import FirstlightModel
import Hummingbird

/// The part of an address behind `?`, taken apart.
struct QueryPairs {
  let pairs: [(String, String)]

  init(_ request: Request) {
    pairs = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
  }

  subscript(key: String) -> String? { pairs.first { $0.0 == key }?.1 }

  func all(_ key: String) -> [String] { pairs.filter { $0.0 == key }.map(\.1) }

  /// One of an enumeration's values.
  /// - Throws: `.usage`, listing them.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, default standard: Choice
  ) throws(Failure) -> Choice where Choice.RawValue == String {
    guard let text = self[key] else { return standard }
    guard let choice = Choice(rawValue: text) else {
      throw Failure(
        .usage, "\(key) is \"\(text)\"",
        advice: "it is one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// A number between limits.
  /// - Throws: `.usage`.
  func number(
    _ key: String, default standard: Int, in range: ClosedRange<Int>
  ) throws(Failure) -> Int {
    guard let text = self[key] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw Failure(
        .usage, "\(key) is \"\(text)\"",
        advice: "it is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
