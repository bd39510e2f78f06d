import ArgumentParser
import FirstlightModel
import ProcessControl
import SystemSupport

/// The end of a measured start-up, and the longest wait for it.
struct MomentOptions: ParsableArguments {
  /// The events, for help.
  static let events =
    "exit; ready (the program calls firstlight_ready); port:N (it listens on that TCP port); "
    + "http:N/PATH (it answers a GET there); line:TEXT (it prints a line with the text)"

  @Option(
    help: ArgumentHelp(
      "Event that ends a start-up: \(events); or a time such as 500ms. A program still running then "
        + "gets SIGTERM. (default: exit)",
      valueName: "event"),
    transform: ReadinessCondition.parse)
  var until: ReadinessCondition = .exit

  @OptionGroup var wait: TimeoutOption

  var timeout: TimeSpan { wait.timeout }
}

/// The longest wait for an event.
struct TimeoutOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Longest wait for that event, such as 500ms, 30s, 2m.", valueName: "time"))
  var timeout = TimeoutOption.standard

  /// The timeout of all commands that wait for an event.
  static let standard = TimeSpan(seconds: 30)
}

/// A span of time on the command line: `500ms`, `90s`, `15m`, `24h`, `7d`.
struct TimeSpan: ExpressibleByArgument {
  let seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  init?(argument: String) {
    guard let seconds = ReadinessCondition.seconds(argument) else { return nil }
    self.seconds = seconds
  }

  var defaultValueDescription: String { TimeText.text(seconds) }
}

/// A share: `0.01` or `1%`.
struct Share: ExpressibleByArgument, Equatable {
  let value: Double

  init?(argument: String) {
    let isPercent = argument.ends(with: "%")
    guard let number = Double(isPercent ? String(argument.dropLast()) : argument) else {
      return nil
    }
    value = isPercent ? number / 100 : number
    guard value > 0, value <= 1 else { return nil }
  }

  var defaultValueDescription: String { "\(NumberText.decimal(value * 100, digits: 0))%" }
}

extension ReadinessCondition {
  /// The value of `--until`.
  @Sendable static func parse(_ argument: String) throws -> ReadinessCondition {
    guard let moment = ReadinessCondition(argument: argument) else {
      throw ValidationError("use \(forms)")
    }
    return moment
  }
}
