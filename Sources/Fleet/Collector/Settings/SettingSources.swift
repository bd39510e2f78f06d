import FirstlightModel
import FleetModel
import Foundation

/// The sources of settings, in order of precedence: options, environment variables, configuration file.
package struct SettingSources {
  private struct Source {
    let values: [String: String]
    /// The place of a setting in the source, for people.
    let place: (_ key: String) -> String
  }

  private let sources: [Source]
  private let file: ConfigurationFile?
  /// Variables that look like settings but are none.
  private let unknownVariables: [String]

  /// - Parameters:
  ///   - options: the values of options, by setting.
  ///   - file: path of the configuration file; nil: none.
  /// - Throws: `.noInput` if the file cannot be read, `.usage` naming the wrong line.
  package init(
    options: [String: String], environment: [String: String], file path: String?
  ) throws(Failure) {
    // An empty variable counts as unset, because deployments leave variables blank.
    let variables = environment.filter { $0.key.hasPrefix("FIRSTLIGHTD_") && !$0.value.isEmpty }
    let names = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.key, $0.variable) })
    var sources = [
      Source(values: options, place: { "--\($0)" }),
      Source(
        values: names.compactMapValues { variables[$0] }, place: { names[$0] ?? $0 }),
    ]
    var read: ConfigurationFile?
    if let path { read = try ConfigurationFile(path) }
    file = read
    if let file = read {
      sources.append(
        Source(
          values: file.values.mapValues(\.text),
          place: { "\(file.path):\(file.values[$0]?.line ?? 0)" }))
    }
    self.sources = sources
    unknownVariables = variables.keys.filter { name in
      // Kubernetes sets such variables in every container for a service with the name firstlightd.
      !names.values.contains(name) && name != "FIRSTLIGHTD_CONFIG"
        && !name.hasPrefix("FIRSTLIGHTD_SERVICE_")
        && !name.hasPrefix("FIRSTLIGHTD_PORT")
    }.sorted()
  }

  /// - Throws: `.usage` naming the wrong setting and its place.
  package func configuration() throws(Failure) -> DaemonConfiguration {
    var result = DaemonConfiguration()
    for setting in Setting.all {
      guard let source = source(of: setting.key).map({ sources[$0] }),
        let text = source.values[setting.key]
      else { continue }
      do throws(Failure) { try setting.set(text, &result) } catch {
        throw Failure(
          error.kind == .data ? .usage : error.kind,
          "\(source.place(setting.key)): \(error.problem)", advice: error.advice)
      }
    }
    try addLabels(to: &result)
    result.isStoreOption = source(of: "store") == 0
    // A store overrides an upstream from a source of lower precedence, and vice versa.
    if let store = source(of: "store"), let upstream = source(of: "upstream") {
      if store < upstream { result.upstream = nil }
      if upstream < store { result.store = nil }
    }
    result.notes += unknownVariables.map { "unknown setting in the environment variable \($0)" }
    return result
  }

  /// The first source that has a setting.
  private func source(of key: String) -> Int? { sources.firstIndex { $0.values[key] != nil } }

  /// Adds labels that the file sets one by one, unless a setting has them together.
  private func addLabels(to result: inout DaemonConfiguration) throws(Failure) {
    guard let file, source(of: "labels") == nil else { return }
    let labels = file.values.filter { $0.key.hasPrefix("label.") }
    guard !labels.isEmpty else { return }
    do throws(Failure) {
      result.intake.labels = try FleetLabels(
        Dictionary(
          uniqueKeysWithValues: labels.map { (String($0.key.dropFirst(6)), $0.value.text) }))
    } catch {
      throw Failure(.usage, "\(file.path): \(error.problem)", advice: error.advice)
    }
  }
}

/// The settings of firstlightd's configuration file: lines `key = value`; `#` begins a comment.
private struct ConfigurationFile {
  /// The text of each setting and its line number; labels are under `label.KEY`.
  private(set) var values: [String: (text: String, line: Int)] = [:]
  let path: String

  /// - Throws: `.noInput` if the file cannot be read, `.usage` naming the wrong line.
  init(_ path: String) throws(Failure) {
    self.path = path
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    let known = Set(Setting.all.map(\.key))
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
      guard key.hasPrefix("label.") || known.contains(key) else {
        throw Failure(
          .usage, "\(place): unknown setting \"\(key)\"",
          advice: "list the settings with firstlightd help run")
      }
      values[key] = (value, number + 1)
    }
  }
}
