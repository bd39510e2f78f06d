import FirstlightModel
import FleetModel
import Foundation

/// Parses the text of a setting.
struct SettingKind<Value>: Sendable {
  /// The form of a value, for help.
  let form: String
  let read: @Sendable (String) throws(Failure) -> Value
  /// The text of a default; nil if help shows none.
  var show: @Sendable (Value) -> String? = { _ in nil }
}

extension SettingKind<Int> {
  static func number(_ form: String = "n") -> Self {
    SettingKind(form: form, read: positive, show: { "\($0)" })
  }

  /// From a second to a day.
  static let seconds = SettingKind(
    form: "seconds",
    read: { text throws(Failure) in
      let number = try positive(text)
      guard number <= 86400 else {
        throw Failure(.usage, "\"\(text)\" is more than a day (86400)")
      }
      return number
    }, show: { "\($0)" })

  /// Bytes: `500M`, `2G`.
  static let size = SettingKind(
    form: "size",
    read: { text throws(Failure) in
      let shift = text.last.flatMap { units[$0] }
      let digits = shift == nil ? text[...] : text.dropLast()
      guard let number = Int(digits), number > 0, number < 1 << 22 || shift == nil else {
        throw Failure(.usage, "\"\(text)\" is not a size; write it as 500M or 2G")
      }
      return number << (shift ?? 0)
    },
    show: { bytes in
      let unit = units.filter { bytes.trailingZeroBitCount >= $1 }.max { $0.value < $1.value }
      return unit.map { "\(bytes >> $0.value)\($0.key)" } ?? "\(bytes)"
    })

  private static let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]

  @Sendable private static func positive(_ text: String) throws(Failure) -> Int {
    guard let number = Int(text), number > 0 else {
      throw Failure(.usage, "\"\(text)\" is not a number above 0")
    }
    return number
  }
}

extension SettingKind<Int?> {
  static func given(_ kind: SettingKind<Int>) -> Self {
    SettingKind(form: kind.form, read: { text throws(Failure) in try kind.read(text) })
  }

  /// A number, or `all` for no limit.
  static func limit(_ kind: SettingKind<Int>) -> Self {
    SettingKind(
      form: kind.form,
      read: { text throws(Failure) in text == "all" ? nil : try kind.read(text) },
      show: { $0.map(kind.show) ?? "all" })
  }
}

extension SettingKind<String> {
  static func word(_ form: String, of words: [String]) -> Self {
    SettingKind(
      form: form,
      read: { text throws(Failure) in
        guard words.contains(text) else {
          throw Failure(.usage, "\"\(text)\" is not one of \(words.joined(separator: ", "))")
        }
        return text
      }, show: { $0 })
  }

  static let name = SettingKind(form: "name", read: { $0 })

  static let logLevel = word(
    "level", of: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
}

extension SettingKind<Bool> {
  static let flag = SettingKind(
    form: "yes | no",
    read: { text throws(Failure) in
      switch text {
      case "yes": return true
      case "no": return false
      default: throw Failure(.usage, "\"\(text)\" is not yes or no")
      }
    }, show: { $0 ? "yes" : "no" })

  /// Whether logs are JSON.
  static let logFormat = SettingKind(
    form: "text | json",
    read: { text throws(Failure) in
      try SettingKind<String>.word("", of: ["text", "json"]).read(text) == "json"
    }, show: { $0 ? "json" : "text" })
}

extension SettingKind<String?> {
  static func text(_ form: String) -> Self { SettingKind(form: form, read: { $0 }) }

  static let file = text("file")

  /// An absolute path, because programs look for the spool from any working directory.
  static let directory = SettingKind(
    form: "dir", read: { URL(fileURLWithPath: $0).standardizedFileURL.path })

  /// A token in the first line of a file.
  static let secret = SettingKind(
    form: "file",
    read: { path throws(Failure) in
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let line = text.split(separator: "\n").first
      else { throw Failure(.noInput, "\(path): cannot be read") }
      return line.trimmingCharacters(in: .whitespaces)
    })
}

extension SettingKind<[String]> {
  static let directories = SettingKind(
    form: "dir:dir...", read: { $0.split(separator: ":").map(String.init) },
    show: { $0.joined(separator: ":") })
}

extension SettingKind<StoreAddress?> {
  static let store = SettingKind(
    form: "sqlite:PATH | clickhouse:URL",
    read: { text throws(Failure) in try StoreAddress(text) })
}

extension SettingKind<ListenAddress?> {
  static let listenAddress = SettingKind(
    form: "addr:port", read: { text throws(Failure) in try ListenAddress(text) })
}

extension SettingKind<FleetLabels> {
  /// `region=eu,tier=web`.
  static let labels = SettingKind(
    form: "key=value,...",
    read: { text throws(Failure) in
      var labels: [String: String] = [:]
      for pair in text.split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
          throw Failure(.usage, "\"\(pair)\" is not a label; write it as region=eu")
        }
        labels[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].trimmingCharacters(
          in: .whitespaces)
      }
      return try FleetLabels(labels)
    })
}
