import FirstlightModel
import SystemSupport

/// The end of a start-up.
package enum ReadinessCondition: Equatable {
  case exit
  case ready
  /// The program listens on this TCP port.
  case port(Int)
  /// The program has sent the first byte of its answer to a GET on this loopback port.
  case http(port: Int, path: String)
  /// The program has written a line with this text to its standard output or error.
  case line(String)
  /// Seconds after the start.
  case duration(Double)

  package init?(argument: String) {
    switch argument {
    case "exit": self = .exit
    case "ready": self = .ready
    default:
      if let url = argument.removing(prefix: "http://") {
        guard let local = Self.local(url) else { return nil }
        self.init(argument: local)
      } else if let digits = argument.removing(prefix: "port:") {
        guard let port = Self.port(digits) else { return nil }
        self = .port(port)
      } else if let rest = argument.removing(prefix: "http:") {
        let digits = rest.prefix(upToAny: "/")
        let path = rest[digits.endIndex...]
        // Rejects characters that would end or split the request's line.
        guard let port = Self.port(digits), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
          return nil
        }
        self = .http(port: port, path: path.isEmpty ? "/" : String(path))
      } else if let line = argument.removing(prefix: "line:"), !line.isEmpty {
        self = .line(String(line))
      } else if let seconds = Self.seconds(argument) {
        self = .duration(seconds)
      } else {
        return nil
      }
    }
  }

  /// The forms of an argument, for display.
  package static let forms =
    "exit, ready, port:N (1 to 65535), http:N/PATH, line:TEXT, or a time such as 500ms, 10s, 2m"

  /// The form `http:PORT/PATH` of a pasted URL's rest, if its host is this machine.
  private static func local(_ rest: Substring) -> String? {
    let authority = rest.prefix(upToAny: "/?")
    var host = authority
    var port: Substring = "80"
    if let cut = authority.cutLast(at: ":"), !authority.ends(with: "]") {
      (host, port) = cut
    }
    guard ["localhost", "[::1]", "0.0.0.0"].contains(host) || host.begins(with: "127.") else {
      return nil
    }
    let path = rest[authority.endIndex...].prefix(upToAny: "#")
    return "http:\(port)\(path.begins(with: "?") ? "/" : "")\(path)"
  }

  private static func port(_ digits: Substring) -> Int? {
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits),
      (1...65535).contains(port)
    else { return nil }
    return port
  }

  /// `500ms`, `10s`, `2m`, `1h`, `7d`.
  package static func seconds(_ argument: String) -> Double? {
    let units: [(suffix: String, seconds: Double)] = [
      ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400),
    ]
    for unit in units {
      guard let digits = argument.removing(suffix: unit.suffix), let first = digits.utf8.first,
        (48...57).contains(first),
        let number = Double(digits), number * unit.seconds > 0, number * unit.seconds < 1e8
      else { continue }
      return number * unit.seconds
    }
    return nil
  }

  /// For display and reports.
  package var text: String {
    switch self {
    case .exit: "exit"
    case .ready: "ready"
    case .port(let port): "port:\(port)"
    case .http(let port, let path): "http:\(port)\(path)"
    case .line(let text): "line:\(text)"
    case .duration(let seconds): TimeText.text(seconds)
    }
  }

  /// The form on a command line.
  package var argument: String {
    if case .duration(let seconds) = self { "\(max(1, Int(seconds * 1000)))ms" } else { text }
  }

  /// The program's action, in the past tense: "ended", "listened on port 80".
  package var doneText: String {
    switch self {
    case .exit: "ended"
    case .ready: "reported ready"
    case .port(let port): "listened on port \(port)"
    case .http(let port, let path): "answered http://127.0.0.1:\(port)\(path)"
    case .line(let text): "printed a line with \"\(text)\""
    case .duration(let seconds): "run for \(TimeText.text(seconds))"
    }
  }

  /// Whether it ends a start-up, and not the whole program.
  package var isStartup: Bool {
    switch self {
    case .ready, .port, .http, .line: true
    case .exit, .duration: false
    }
  }

  /// The port that must be free until the program listens on it.
  package var port: Int? {
    switch self {
    case .port(let port), .http(let port, _): port
    case .exit, .ready, .line, .duration: nil
    }
  }

  /// The port, if the condition is only to listen on it.
  package var listeningPort: Int? {
    if case .port(let port) = self { port } else { nil }
  }
}
