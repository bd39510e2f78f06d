import FirstlightModel

/// A setting of firstlightd: the key of its configuration file, the option `--KEY` and the environment
/// variable FIRSTLIGHTD_KEY, with the text that help and Documentation/Fleet.md show.
package struct Setting: Sendable {
  package let key: String
  /// The form of a value.
  package let form: String
  package let meaning: String
  package let standard: String?
  let set: @Sendable (String, inout DaemonConfiguration) throws(Failure) -> Void

  var variable: String { "FIRSTLIGHTD_\(key)".uppercased().replacing("-", with: "_") }

  /// The meaning, with the default at the end of its first sentence.
  package var help: String {
    guard let standard, let end = meaning.firstIndex(of: ".") else { return meaning }
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
