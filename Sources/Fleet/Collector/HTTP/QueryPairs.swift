import FirstlightModel
import Foundation
import Hummingbird

/// Parses the query of an address, encoded as HTML forms do (application/x-www-form-urlencoded).
struct QueryPairs {
  let pairs: [(String, String)]

  init(_ request: Request) {
    pairs = (request.uri.query ?? "").split(at: "&").map { pair in
      let (key, value) = pair.cut(at: "=") ?? (pair, "")
      return (Self.plain(key), Self.plain(value))
    }
  }

  /// - Parameter keys: all allowed keys. A misspelt key would change the meaning of the query.
  /// - Throws: `.usage`, listing the allowed keys.
  init(_ request: Request, keys: [String]) throws(Failure) {
    self.init(request)
    for (key, _) in pairs where !keys.contains(key) {
      throw Failure(
        .usage, "unknown query parameter \"\(key)\"",
        advice: "use " + keys.joined(separator: ", "))
    }
  }

  /// Decodes `+` to a blank and `%2B` to a plus. Text that is not UTF-8 stays unchanged.
  private static func plain(_ text: Substring) -> String {
    let blanks = text.replacing(utf8: "+", with: " ")
    return blanks.removingPercentEncoding ?? blanks
  }

  subscript(key: String) -> String? { pairs.first { $0.0 == key }?.1 }

  func all(_ key: String) -> [String] { pairs.filter { $0.0 == key }.map(\.1) }

  /// A value of an enumeration.
  /// - Throws: `.usage`, listing the values.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, default standard: Choice
  ) throws(Failure) -> Choice where Choice.RawValue == String {
    guard let text = self[key] else { return standard }
    guard let choice = Choice(rawValue: text) else {
      throw Failure(
        .usage, "invalid \(key): \"\(text)\"",
        advice: "use " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
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
        .usage, "invalid \(key): \"\(text)\"",
        advice: "use a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
