import FirstlightModel
import Foundation
import Logging
import SystemSupport

/// Sends logs to standard error, as text for people or as JSON, one object a line.
enum LogSetup {
  static func bootstrap(level: Logger.Level, asJSON: Bool) {
    LoggingSystem.bootstrap { label in
      if asJSON {
        var handler = JSONLogHandler()
        handler.logLevel = level
        return handler
      }
      var handler = StreamLogHandler(label: label, stream: PrintableErrors())
      handler.logLevel = level
      return handler
    }
  }
}

/// Writes to standard error, one line at a time. Names and paths are untrusted: they must not start a line of
/// their own or control a terminal.
private struct PrintableErrors: TextOutputStream {
  func write(_ line: String) {
    let text = line.ends(with: "\n") ? line.dropLast() : line[...]
    FileHandle.standardError.write(Data((Escaping.terminal(String(text)) + "\n").utf8))
  }
}

/// A log line as a JSON object.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var object: [TextBytes: String] = [:]
    for (key, value) in metadata { object[key] = "\(value)" }
    for (key, value) in event.metadata ?? [:] { object[key] = "\(value)" }
    object["time"] = Date().formatted(.iso8601)
    object["level"] = event.level.rawValue
    object["message"] = "\(event.message)"
    let line: String
    do { line = try JSONForm.compact(object) } catch { line = Escaping.terminal("\(error)") }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
