import FirstlightModel
import FleetModel
import Foundation

/// Reads firstlightd's configuration file: `key = value` lines, `#` begins a comment.
public enum ConfigurationFile {
  /// - Throws: `.noInput` if it cannot be read, `.usage` naming the line that is wrong.
  public static func read(_ path: String, into result: inout DaemonConfiguration) throws(Failure) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    var labels: [String: String] = [:]
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
      if key.hasPrefix("label.") {
        labels[String(key.dropFirst(6))] = value
        continue
      }
      do throws(Failure) { try set(key, to: value, in: &result) } catch {
        throw Failure(error.kind, "\(place): \(error.problem)", advice: error.advice)
      }
    }
    if !labels.isEmpty {
      do throws(Failure) { result.labels = try FleetLabels(labels) } catch {
        throw Failure(.usage, "\(path): \(error.problem)", advice: error.advice)
      }
    }
  }

  private static func set(
    _ key: String, to value: String, in result: inout DaemonConfiguration
  ) throws(Failure) {
    switch key {
    case "spool": result.spool = value
    case "store": result.store = try StoreAddress(value)
    case "listen": result.listen = try ListenAddress(value)
    case "socket": result.socket = value
    case "upstream": result.upstream = value
    case "upstream-token-file": result.upstreamToken = try secret(value)
    case "upstream-ca": result.upstreamTLS.authorities = value
    case "upstream-certificate": result.upstreamTLS.certificate = value
    case "upstream-key": result.upstreamTLS.key = value
    case "tls-certificate": result.tls.certificate = value
    case "tls-key": result.tls.key = value
    case "tls-client-ca": result.tls.authorities = value
    case "token-file": result.tokenFile = value
    case "host": result.host = value
    case "debug-directories":
      result.debugDirectories = value.split(separator: ":").map(String.init)
    case "debuginfod": result.usesDebuginfod = try flag(value)
    case "outbox-bytes": result.outboxBytes = try size(value)
    case "outbox-days": result.outboxDays = Double(try number(value))
    case "user-bytes": result.userBytes = try size(value)
    case "user-files": result.userFiles = try number(value)
    case "total-bytes": result.totalBytes = try size(value)
    case "total-files": result.totalFiles = try number(value)
    case "user-rate": result.userRate = try number(value)
    case "connections": result.connections = try number(value)
    case "body-limit": result.bodyLimit = try size(value)
    case "inflated-limit": result.inflatedLimit = try size(value)
    case "symbol-limit": result.symbolLimit = try size(value)
    case "symbol-memory": result.symbolMemory = try size(value)
    case "log-level": result.logLevel = value
    case "log-format":
      guard ["text", "json"].contains(value) else {
        throw Failure(.usage, "log-format is text or json")
      }
      result.logsJSON = value == "json"
    default: throw Failure(.usage, "there is no setting \"\(key)\"")
    }
  }

  /// The first line of a file that holds a token.
  private static func secret(_ path: String) throws(Failure) -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.split(separator: "\n").first
    else { throw Failure(.noInput, "\(path): cannot be read") }
    return line.trimmingCharacters(in: .whitespaces)
  }

  private static func flag(_ value: String) throws(Failure) -> Bool {
    switch value {
    case "yes": return true
    case "no": return false
    default: throw Failure(.usage, "\"\(value)\" is neither yes nor no")
    }
  }

  private static func number(_ value: String) throws(Failure) -> Int {
    guard let number = Int(value), number > 0 else {
      throw Failure(.usage, "\"\(value)\" is not a number above 0")
    }
    return number
  }

  /// Bytes: `500M`, `2G`.
  private static func size(_ value: String) throws(Failure) -> Int {
    let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
    let shift = value.last.flatMap { units[$0] }
    let digits = shift == nil ? value[...] : value.dropLast()
    guard let number = Int(digits), number > 0, number < 1 << 22 || shift == nil else {
      throw Failure(.usage, "\"\(value)\" is not a size; write it as 500M or 2G")
    }
    return number << (shift ?? 0)
  }
}
