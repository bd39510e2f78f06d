import ArgumentParser
import ReportFormats
import TextFormatting

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
