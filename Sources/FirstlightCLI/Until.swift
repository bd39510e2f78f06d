import ArgumentParser

/// When a recording stops.
enum Until: ExpressibleByArgument, Equatable {
  case exit
  case ready
  /// Seconds after the start.
  case duration(Double)

  init?(argument: String) {
    switch argument {
    case "exit": self = .exit
    case "ready": self = .ready
    default:
      let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600),
      ]
      for unit in units where argument.hasSuffix(unit.suffix) {
        let digits = argument.dropLast(unit.suffix.count)
        guard let first = digits.utf8.first, (48...57).contains(first),
          let number = Double(digits), number * unit.seconds > 0, number * unit.seconds < 1e8
        else { continue }
        self = .duration(number * unit.seconds)
        return
      }
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .exit: "exit"
    case .ready: "ready"
    case .duration(let seconds): "\(seconds)s"
    }
  }
}
