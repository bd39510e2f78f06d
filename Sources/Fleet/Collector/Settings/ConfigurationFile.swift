import FirstlightModel
import Foundation

/// What firstlightd's configuration file says: `key = value` lines, `#` begins a comment.
struct ConfigurationFile {
  /// Each setting's text and the line that gives it; labels under `label.KEY`.
  private(set) var values: [String: (text: String, line: Int)] = [:]
  let path: String

  /// - Throws: `.noInput` if it cannot be read, `.usage` naming the line that is wrong.
  init(_ path: String) throws(Failure) {
    self.path = path
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
      if content.isEmpty { continue }
      let place = "\(path):\(number + 1)"
      guard let equals = content.firstIndex(of: "=") else {
        throw Failure(.usage, "\(place): expected KEY = VALUE")
      }
      let key = content[..<equals].trimmingCharacters(in: .whitespaces)
      let value = content[content.index(after: equals)...].trimmingCharacters(in: .whitespaces)
      if value.isEmpty { throw Failure(.usage, "\(place): \(key) has no value") }
      guard key.hasPrefix("label.") || Setting.named(key) != nil else {
        throw Failure(
          .usage, "\(place): unknown setting \"\(key)\"",
          advice: "list the settings with firstlightd help run")
      }
      values[key] = (value, number + 1)
    }
  }
}
