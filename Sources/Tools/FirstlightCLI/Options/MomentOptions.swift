import ArgumentParser
import ProcessControl

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
