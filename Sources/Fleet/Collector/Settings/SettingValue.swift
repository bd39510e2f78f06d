import FirstlightModel
import Foundation

/// How the texts of settings are read.
enum SettingValue {
  /// The first line of a file that holds a token.
  static func secret(_ path: String) throws(Failure) -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.split(separator: "\n").first
    else { throw Failure(.noInput, "\(path): cannot be read") }
    return line.trimmingCharacters(in: .whitespaces)
  }

  static func flag(_ value: String) throws(Failure) -> Bool {
    switch value {
    case "yes": return true
    case "no": return false
    default: throw Failure(.usage, "\"\(value)\" is not yes or no")
    }
  }

  static func number(_ value: String) throws(Failure) -> Int {
    guard let number = Int(value), number > 0 else {
      throw Failure(.usage, "\"\(value)\" is not a number above 0")
    }
    return number
  }

  /// A number or size, or `all` for no limit.
  static func limit(
    _ value: String, _ read: (String) throws(Failure) -> Int
  ) throws(Failure) -> Int? {
    value == "all" ? nil : try read(value)
  }

  /// A second to a day.
  static func seconds(_ value: String) throws(Failure) -> Int {
    let number = try number(value)
    guard number <= 86400 else {
      throw Failure(.usage, "\"\(value)\" is more than a day (86400)")
    }
    return number
  }

  /// Bytes: `500M`, `2G`.
  static func size(_ value: String) throws(Failure) -> Int {
    let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
    let shift = value.last.flatMap { units[$0] }
    let digits = shift == nil ? value[...] : value.dropLast()
    guard let number = Int(digits), number > 0, number < 1 << 22 || shift == nil else {
      throw Failure(.usage, "\"\(value)\" is not a size; write it as 500M or 2G")
    }
    return number << (shift ?? 0)
  }

  static func word(_ value: String, of words: [String]) throws(Failure) -> String {
    guard words.contains(value) else {
      throw Failure(
        .usage, "\"\(value)\" is not one of \(words.joined(separator: ", "))")
    }
    return value
  }

  /// `region=eu,tier=web`.
  static func labels(_ value: String) throws(Failure) -> [String: String] {
    var labels: [String: String] = [:]
    for pair in value.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw Failure(.usage, "\"\(pair)\" is not a label; write it as region=eu")
      }
      labels[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].trimmingCharacters(
        in: .whitespaces)
    }
    return labels
  }

  /// Programs find the spool from wherever they run, so it is known by its absolute path.
  static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
