import ArgumentParser
import ProcessControl

/// When a measured start-up is over, and how long to wait for that.
struct MomentOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When a start-up is over: exit; ready, when the program says so (firstlight_ready); "
        + "port:N, when it listens on that TCP port; http:N/PATH, when it answers a GET there; or "
        + "after a time such as 500ms. Programs that still run then get SIGTERM.",
      valueName: "moment"))
  var until: ReadinessCondition = .exit

  @Option(
    help: ArgumentHelp(
      "How long to wait for that moment, such as 500ms, 30s, 2m.", valueName: "time"))
  var timeout = TimeSpan(seconds: 30)

  func validate() throws { try until.validateWithoutOutput() }
}
