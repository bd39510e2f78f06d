import ArgumentParser
import FirstlightModel
import ReportFormats
import StartupMeasurement
import SymbolOrdering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a linked binary follows an order, and explains each name that does not.",
    discussion: """
      A name lies in order if its address rises with the names before it. For each that does not, \
      there is a reason: absent, inlined (debug information knows), in another output section, in a \
      section with other functions, or out of place. Which object file or archive that section came \
      from, the linker's map tells; without --map a neighbour that is not in the order is named.

        firstlight verify app.order .build/release/app
        firstlight verify app.order app --map app.map --min-hit-rate 0.95
      """)

  @Argument(help: "The order, in one of the formats lld, gold, ld and bolt.")
  var order: String

  @Argument(help: "The binary linked with it, not stripped.")
  var binary: String

  @Option(
    help: ArgumentHelp("The map the linker wrote (-Wl,-Map=FILE).", valueName: "file"))
  var map: String?

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  @OptionGroup var checks: OrderChecks

  func run() throws {
    let names = try OrderNames.read(order)
    let verification = try LinkedOrder.verify(
      names, in: binary, map: map, pageSize: checks.pageSize)
    switch format {
    case .text: try Output.write(OrderVerificationText.text(verification), to: nil)
    case .json: try Output.write(OrderVerificationJSON.text(verification), to: nil)
    }
    if let minHitRate = checks.minHitRate, verification.hitRate < minHitRate {
      throw Failure(
        .data,
        "\(binary): only \(NameReportText.percent(verification.hitRate)) of the names in \(order) "
          + "lie in order, less than \(NameReportText.percent(minHitRate))",
        advice: "the report above says why")
    }
  }
}
