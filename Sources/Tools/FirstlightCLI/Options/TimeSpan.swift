import ArgumentParser
import ProcessControl
import ReportFormats
import TextFormatting

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
