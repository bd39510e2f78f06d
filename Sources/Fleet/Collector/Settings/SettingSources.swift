import Configuration
import FirstlightModel
import FleetModel

/// The sources of settings, in order of precedence: options, environment variables, configuration file.
package struct SettingSources {
  private struct Source {
    let provider: any ConfigProvider
    /// Where it has a setting, for people.
    let place: (_ key: String) -> String
  }

  private let sources: [Source]
  private let file: ConfigurationFile?
  /// Variables that look like settings and are none.
  private let unknownVariables: [String]

  /// What the environment calls settings begins with it.
  private static let prefix = "firstlightd"

  /// - Parameters:
  ///   - options: what options say, by setting.
  ///   - file: the configuration file's path; nil: there is none.
  /// - Throws: `.noInput` if the file cannot be read, `.usage` naming its line that is wrong.
  package init(
    options: [String: String], environment: [String: String], file path: String?
  ) throws(Failure) {
    // A variable that is empty counts as not set, as those do that a deployment leaves blank.
    let variables = environment.filter { $0.key.hasPrefix("FIRSTLIGHTD_") && !$0.value.isEmpty }
    var sources = [
      Source(provider: InMemoryProvider(values: Self.values(options)), place: { "--\($0)" }),
      Source(
        provider: EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(
          with: ConfigKey([Self.prefix])),
        place: { Self.variable($0) }),
    ]
    var read: ConfigurationFile?
    if let path { read = try ConfigurationFile(path) }
    file = read
    if let file = read {
      sources.append(
        Source(
          provider: InMemoryProvider(values: Self.values(file.values.mapValues(\.text))),
          place: { "\(file.path):\(file.values[$0]?.line ?? 0)" }))
    }
    self.sources = sources
    let known = Set(Setting.all.map { Self.variable($0.key) })
    unknownVariables = variables.keys.filter { name in
      // Kubernetes gives every container those of a service that is called firstlightd.
      !known.contains(name) && name != "FIRSTLIGHTD_CONFIG"
        && !name.hasPrefix("FIRSTLIGHTD_SERVICE_")
        && !name.hasPrefix("FIRSTLIGHTD_PORT")
    }.sorted()
  }

  /// Whether an option gives a setting, where all users of the machine can read it.
  package func isOption(_ key: String) -> Bool { value(of: key)?.source == 0 }

  /// - Throws: `.usage` naming the setting that is wrong and where it stands.
  package func configuration() throws(Failure) -> DaemonConfiguration {
    var result = DaemonConfiguration()
    for setting in Setting.all {
      guard let (text, source) = value(of: setting.key) else { continue }
      do throws(Failure) { try setting.set(text, &result) } catch {
        throw Failure(
          error.kind == .data ? .usage : error.kind,
          "\(sources[source].place(setting.key)): \(error.problem)",
          advice: error.advice)
      }
    }
    try addLabels(to: &result)
    // A store overrides an upstream from a source of lower precedence, and vice versa.
    if let store = value(of: "store")?.source, let upstream = value(of: "upstream")?.source {
      if store < upstream { result.upstream = nil }
      if upstream < store { result.store = nil }
    }
    result.notes += unknownVariables.map { "unknown setting in the environment variable \($0)" }
    return result
  }

  private func value(of key: String) -> (text: String, source: Int)? {
    for (place, source) in sources.enumerated() {
      let found = try? source.provider.value(forKey: AbsoluteConfigKey([key]), type: .string)
      if case .string(let text) = found?.value?.content { return (text, place) }
    }
    return nil
  }

  /// Those that the file gives one by one, where none gives them together.
  private func addLabels(to result: inout DaemonConfiguration) throws(Failure) {
    guard let file, value(of: "labels") == nil else { return }
    let labels = file.values.filter { $0.key.hasPrefix("label.") }
    guard !labels.isEmpty else { return }
    do throws(Failure) {
      result.labels = try FleetLabels(
        Dictionary(
          uniqueKeysWithValues: labels.map { (String($0.key.dropFirst(6)), $0.value.text) }))
    } catch {
      throw Failure(.usage, "\(file.path): \(error.problem)", advice: error.advice)
    }
  }

  private static func values(_ texts: [String: String]) -> [AbsoluteConfigKey: ConfigValue] {
    Dictionary(
      uniqueKeysWithValues: texts.map {
        (AbsoluteConfigKey([$0.key]), ConfigValue(.string($0.value), isSecret: false))
      })
  }

  private static func variable(_ key: String) -> String {
    "\(prefix)_\(key)".uppercased().replacing("-", with: "_")
  }
}
