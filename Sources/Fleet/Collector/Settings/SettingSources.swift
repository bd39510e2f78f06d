import FirstlightModel
import FleetModel
import Foundation

/// The sources of settings, in order of precedence: options, environment variables, configuration file.
package struct SettingSources {
  /// The text of each setting in a source, and its place for people.
  private typealias Source = [TextBytes: (text: String, place: String)]

  private let sources: [Source]
  /// Variables that look like settings but are none.
  private let unknownVariables: [String]

  /// - Parameters:
  ///   - options: the values of options, by setting.
  ///   - file: path of the configuration file; nil: none.
  /// - Throws: `.noInput` if the file cannot be read, `.usage` naming the wrong line.
  package init(
    options: [TextBytes: String], environment: [TextBytes: String], file path: String?
  ) throws(Failure) {
    // An empty variable counts as unset, because deployments leave variables blank.
    let variables = environment.filter {
      $0.key.text.begins(with: "FIRSTLIGHTD_") && !$0.value.isEmpty
    }
    var ofEnvironment: Source = [:]
    for setting in Setting.all {
      ofEnvironment[setting.key] = variables[setting.variable].map { ($0, setting.variable) }
    }
    var ofOptions: Source = [:]
    for (key, text) in options { ofOptions[key] = (text, "--\(key)") }
    sources = [ofOptions, ofEnvironment] + (try path.map(Self.file).map { [$0] } ?? [])
    let known = Set(texts: Setting.all.map(\.variable))
    unknownVariables = variables.keys.map(\.text).filter { name in
      // Kubernetes sets such variables in every container for a service with the name firstlightd.
      !known.contains(name) && name != "FIRSTLIGHTD_CONFIG"
        && !name.begins(with: "FIRSTLIGHTD_SERVICE_")
        && !name.begins(with: "FIRSTLIGHTD_PORT")
    }.sorted()
  }

  /// - Throws: `.usage` naming the wrong setting and its place.
  package func configuration() throws(Failure) -> DaemonConfiguration {
    var result = DaemonConfiguration()
    for setting in Setting.all {
      guard let (text, place) = sources.lazy.compactMap({ $0[setting.key] }).first else { continue }
      do throws(Failure) { try setting.set(text, &result) } catch {
        throw Failure(
          error.kind == .data ? .usage : error.kind, "\(place): \(error.problem)",
          advice: error.advice)
      }
    }
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
  private func source(of key: String) -> Int? { sources.firstIndex { $0[key] != nil } }

  /// Reads a configuration file: lines `key = value`; `#` begins a comment. Lines `label.KEY = VALUE` are the
  /// setting `labels`, unless that has a line.
  /// - Throws: `.noInput` if the file cannot be read, `.usage` naming the wrong line.
  private static func file(_ path: String) throws(Failure) -> Source {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    let known = Set(texts: Setting.all.map(\.key))
    var values: Source = [:]
    var labels: [TextBytes: String] = [:]
    for (number, line) in text.lines.enumerated() {
      let place = "\(path):\(number + 1)"
      // With such line ends, a comment would hide the settings behind it, such as the token file.
      guard !line.utf8.contains(where: { $0.isControl && $0 != UInt8(ascii: "\t") }) else {
        throw Failure(
          .usage, "\(place): contains a control character",
          advice: "end lines with a line feed, with a carriage return before it or without")
      }
      let content = line.prefix(upToAny: "#").trimmed
      if content.isEmpty { continue }
      guard let pair = content.cut(at: "=") else {
        throw Failure(.usage, "\(place): expected KEY = VALUE")
      }
      let (key, value) = (String(pair.before.trimmed), String(pair.behind.trimmed))
      if value.isEmpty { throw Failure(.usage, "\(place): \(key) has no value") }
      if let label = key.removing(prefix: "label.") {
        labels[label] = value
        continue
      }
      guard known.contains(key) else {
        throw Failure(
          .usage, "\(place): unknown setting \"\(key)\"",
          advice: "list the settings with firstlightd help run")
      }
      values[key] = (value, place)
    }
    if !labels.isEmpty, values["labels"] == nil {
      let texts = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      values["labels"] = (texts.map { $0 + "\n" }.joined(), path)
    }
    return values
  }
}
