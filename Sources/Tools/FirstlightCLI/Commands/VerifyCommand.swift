import ArgumentParser
import FirstlightModel
import Ordering
import Startup
import SystemSupport

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a linked binary follows an order, and explains each exception.",
    usage: "firstlight verify [<options>] <order> <binary>",
    discussion: """
        firstlight verify app.order .build/release/app
        firstlight verify app.order app --map app.map --min-hit-rate 0.95

      A name is in order if its address is above those of the names before it. Each exception has \
      a reason: absent, inlined (from debug information), in another output section, in a section \
      shared with other functions, or out of place. With --map, the report names the object file \
      or archive of that section; otherwise it names a neighbouring function.

      Exit codes (others: see firstlight --help):
        0   some names are in order, or the share that --min-hit-rate demands
        65  none is, or a smaller share; not an order or a binary
      """)

  @Argument(help: "The order, in the format lld, gold, ld or bolt.", completion: .file())
  var order: String

  @Argument(help: "The binary linked with the order, not stripped.", completion: .file())
  var binary: String

  @Option(
    help: ArgumentHelp("Linker map of the binary (-Wl,-Map=FILE).", valueName: "file"),
    completion: .file())
  var map: String?

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  @OptionGroup var checks: OrderChecks

  func run() throws {
    let names = try OrderNames.read(order)
    let verification = try LinkedOrder.verify(
      names, in: binary, map: map, pageSize: checks.pageSize)
    try Output.write(verification, as: format, text: OrderVerificationText.text(verification))
    if verification.hits == 0 {
      throw Failure(
        .data, "\(binary): none of the names in \(order) is in order",
        advice: "link it with this order; see the reasons above")
    }
    if let minHitRate = checks.minHitRate, verification.hitRate < minHitRate {
      throw Failure(
        .data,
        "\(binary): only \(NumberText.share(verification.hitRate)) of the names in \(order) "
          + "are in order, less than \(NumberText.share(minHitRate))",
        advice: "see the reasons above")
    }
  }
}
