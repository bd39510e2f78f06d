import FirstlightModel
import FleetModel
import Foundation

/// A setting of firstlightd: the key of its configuration file, the option `--KEY` and the environment
/// variable FIRSTLIGHTD_KEY, with the text that help and Documentation/Fleet.md show.
package struct Setting: Sendable {
  package let key: String
  /// The form of a value.
  package let form: String
  package let meaning: String
  package let standard: String?
  let set: @Sendable (String, inout DaemonConfiguration) throws(Failure) -> Void

  var variable: String { "FIRSTLIGHTD_\(key)".uppercased().replacing(utf8: "-", with: "_") }

  /// The meaning, with the default at the end of its first sentence.
  package var help: String {
    guard let standard, let end = meaning.firstIndex(ofUTF8: ".") else { return meaning }
    return "\(meaning[..<end]) (default: \(standard))\(meaning[end...])"
  }

  /// - Parameter standard: the default in words; nil: the default of a new configuration, if `kind` can show
  ///   it.
  init<Value>(
    _ key: String, _ path: WritableKeyPath<DaemonConfiguration, Value> & Sendable,
    _ kind: SettingKind<Value>, _ meaning: String, default standard: String? = nil
  ) {
    self.key = key
    form = kind.form
    self.meaning = meaning
    self.standard = standard ?? kind.show(DaemonConfiguration()[keyPath: path])
    set = { text, it throws(Failure) in it[keyPath: path] = try kind.read(text) }
  }
}

/// Parses the text of a setting.
struct SettingKind<Value>: Sendable {
  /// The form of a value, for help.
  let form: String
  let read: @Sendable (String) throws(Failure) -> Value
  /// The text of a default; nil if help shows none.
  var show: @Sendable (Value) -> String? = { _ in nil }

  init(
    _ form: String, show: @escaping @Sendable (Value) -> String? = { _ in nil },
    read: @escaping @Sendable (String) throws(Failure) -> Value
  ) { (self.form, self.read, self.show) = (form, read, show) }
}

extension SettingKind where Value: Equatable & Sendable {
  /// One of some words.
  static func choice(_ form: String, _ words: [(String, Value)]) -> Self {
    Self(
      form, show: { value in words.first { $0.1 == value }?.0 },
      read: { text throws(Failure) in
        if let word = words.first(where: { $0.0 == text }) { return word.1 }
        throw Failure(
          .usage, "\"\(text)\" is not one of \(words.map(\.0).joined(separator: ", "))")
      })
  }
}

extension SettingKind<Bool> {
  static let flag = choice("yes | no", [("yes", true), ("no", false)])
}

extension SettingKind<Int> {
  static func number(_ form: String = "n", atMost most: Int = .max) -> Self {
    Self(
      form, show: { "\($0)" },
      read: { text throws(Failure) in
        guard let number = Int(text), number > 0 else {
          throw Failure(.usage, "\"\(text)\" is not a number above 0")
        }
        if number <= most { return number }
        throw Failure(.usage, "\"\(text)\" is more than a day (\(most))")
      })
  }

  /// Up to a day.
  static let seconds = number("seconds", atMost: 86400)

  /// Bytes: `500M`, `2G`.
  static let size = Self(
    "size",
    show: { bytes in
      let unit = units.filter { bytes.trailingZeroBitCount >= $1 }.max { $0.value < $1.value }
      return unit.map { "\(bytes >> $0.value)\($0.key)" } ?? "\(bytes)"
    },
    read: { text throws(Failure) in
      let shift = text.last.flatMap { units[$0] }
      let digits = shift == nil ? text[...] : text.dropLast()
      guard let number = Int(digits), number > 0, number < 1 << 22 || shift == nil else {
        throw Failure(.usage, "\"\(text)\" is not a size; write it as 500M or 2G")
      }
      return number << (shift ?? 0)
    })

  private static let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
}

extension SettingKind<Int?> {
  /// A number, or `all` for no limit.
  static func limit(_ kind: SettingKind<Int>) -> Self {
    Self(
      kind.form, show: { $0.map(kind.show) ?? "all" },
      read: { text throws(Failure) in text == "all" ? nil : try kind.read(text) })
  }
}

extension SettingKind<String?> {
  static func text(_ form: String) -> Self { Self(form) { $0 } }

  /// An absolute path, because programs look for the spool from any working directory.
  static let directory = Self("dir") { URL(fileURLWithPath: $0).standardizedFileURL.path }

  /// A token in the first line of a file.
  static let secret = Self("file") { path throws(Failure) in
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.lines.first(where: { !$0.isEmpty })
    else { throw Failure(.noInput, "\(path): cannot be read") }
    return String(line.trimmed)
  }
}

extension SettingKind<FleetLabels> {
  /// `region=eu,tier=web`; or a line for each, whose values may have commas.
  static let labels = Self("key=value,...") { text throws(Failure) in
    try FleetLabels(
      texts: text.split(at: text.ends(with: "\n") ? "\n" : ",").map {
        String($0.trimmed)
      })
  }
}
