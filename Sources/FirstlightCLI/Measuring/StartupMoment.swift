import ArgumentParser
import ReportFormats

/// When a measured start-up is over.
enum StartupMoment: ExpressibleByArgument, Equatable {
  case exit
  case ready
  /// It listens on this TCP port.
  case port(Int)
  /// Seconds after the start.
  case duration(Double)

  init?(argument: String) {
    if argument.hasPrefix("port:") {
      guard let port = Int(argument.dropFirst(5)), (1...65535).contains(port) else { return nil }
      self = .port(port)
      return
    }
    switch Until(argument: argument) {
    case .exit: self = .exit
    case .ready: self = .ready
    case .duration(let seconds): self = .duration(seconds)
    case nil: return nil
    }
  }

  var defaultValueDescription: String { text }

  var text: String {
    switch self {
    case .exit: "exit"
    case .ready: "ready"
    case .port(let port): "port:\(port)"
    case .duration(let seconds): TimeText.text(seconds)
    }
  }

  /// What the program has to do: "ended", "listened on port 80".
  var deed: String {
    switch self {
    case .exit: "ended"
    case .ready: "said that it was ready"
    case .port(let port): "listened on port \(port)"
    case .duration(let seconds): "run for \(TimeText.text(seconds))"
    }
  }
}
