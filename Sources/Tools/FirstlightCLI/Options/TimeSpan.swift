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

/// A share: `0.01` or `1%`.
struct Share: ExpressibleByArgument, Equatable {
  let value: Double

  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
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
