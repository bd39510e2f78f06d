import ArgumentParser
import DebugInfo
import FirstlightModel
import LinkerFormats
import Recording
import ReportFormats
import StartupMeasurement
import SymbolOrdering
import SystemSupport

struct OrderCommand: ProfileCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Makes a symbol order for the linker: what is called together lies together.",
    discussion: """
      Build with a section for each function, and link with the order. The order's first lines \
      have these commands too:

      \(recipes)

      The order is of one image: the executable, unless --image names another. The strategy \
      first-call puts a function at the median of its places in the traces; balanced brings \
      functions together that the same runs call at about the same time, and is the better one for \
      runs that differ. --evaluate shows by how much: it makes orders of four of five traces and \
      counts the pages that the others touch.

      With --binary, names are looked up in the binary that is to be linked, also without what \
      compilers append to copies (.llvm.7, .cold, .part.0, Tm), and its sizes are used. \
      Documentation/Ordering.md tells more.
      """)

  private static let recipes = LinkRecipe.commands(file: "$PWD/app.order").map {
    LinkRecipe.wrapped($0, indent: "  ")
  }.joined(separator: "\n")

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"))
  var profiles: [String]

  @Option(
    help: ArgumentHelp(
      "The image to order, by path, file name or build id; * and ? are wildcards.",
      valueName: "glob"))
  var image: String?

  @Option(
    help: ArgumentHelp(
      "Leave out names that this binary, the one to be linked, does not have.",
      valueName: "target"))
  var binary: String?

  @Option(help: "first-call or balanced.")
  var strategy: OrderingStrategy = .firstCall

  @Option(help: "\(LinkerFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: LinkerFormat = .lld

  @OptionGroup var checks: OrderChecks

  @Flag(
    help: """
      Print a table of what orders are worth on traces held out. The order itself is written only \
      with -o.
      """)
  var evaluate = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  func validate() throws {
    if checks.minHitRate != nil, binary == nil {
      throw ValidationError("--min-hit-rate needs --binary, the binary to find the names in.")
    }
  }

  func run() throws { try run(on: ProfileFiles.read(profiles)) }

  func run(on profile: Profile) throws {
    let build = try ImageChoice(glob: image).index(in: profile)
    let pageSize = checks.pageSize
    let target = try binary.map { try TargetBinary.symbols(of: $0) }
    let code = OrderingInput(of: build, in: profile, target: target, pageSize: pageSize)
    if code.units.isEmpty { throw nothing(in: code, recorded: profile.builds[build]) }
    if let names = code.names, let binary {
      if let minHitRate = checks.minHitRate, names.hitRate < minHitRate {
        throw Failure(
          .data,
          "\(binary): has only \(NameReportText.percent(names.hitRate)) of the names that ran, "
            + "less than \(NameReportText.percent(minHitRate))",
          advice: "record again with a build of the same sources")
      }
      Terminal.report(NameReportText.text(names, target: binary))
    }
    if evaluate {
      if code.traces.isEmpty {
        throw Failure(
          .data, "no trace calls anything that could be ordered, so there is nothing to evaluate")
      }
      try Output.write(
        OrderEvaluationText.text(OrderEvaluation(of: code, pageSize: pageSize)), to: nil)
    }
    if !evaluate || output != nil {
      let order = SymbolOrder(
        of: code, build: build, in: profile, strategy: strategy, pageSize: pageSize)
      try Output.write(format.text(order), to: output)
    }
  }

  private func nothing(in code: OrderingInput, recorded: RecordedBuild) -> Failure {
    if code.calledFunctions == 0 {
      return Failure(
        .data, "\(recorded.build.path): none of its functions was called in these runs",
        advice: "record a run that does what it is for")
    }
    if let names = code.names, !names.gone.isEmpty {
      return Failure(
        .data,
        "\(binary ?? ""): has none of the \(names.gone.count) names that ran in "
          + recorded.build.path, advice: "name the binary that is built from the same sources")
    }
    return Failure(
      .data, "\(recorded.build.path): its functions have no names",
      advice: "record a build that has its symbols")
  }
}

extension LinkerFormat: ExpressibleByArgument {}
extension OrderingStrategy: ExpressibleByArgument {}
