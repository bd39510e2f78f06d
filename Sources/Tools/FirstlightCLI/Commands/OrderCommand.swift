import ArgumentParser
import DebugInfo
import FirstlightModel
import Ordering
import Recording
import Startup
import SystemSupport

struct OrderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Writes a symbol order for the linker that places start-up functions together.",
    usage: "firstlight order [<options>] <file.flp> ...",
    discussion: """
        firstlight order app.flp -o app.order

      Build with a section for each function, and link with the order. Its first lines repeat \
      these commands:

      \(recipes)

      An order is for one binary: the executable, unless --image selects another. The strategy \
      first-call sorts functions by the median of their positions in the traces. balanced groups \
      functions that the same runs call at about the same time, and is better for runs that \
      differ. --evaluate compares them: it makes orders from four of five traces and counts the \
      pages that the others touch.

      --binary looks names up in the binary to be linked, also without clone suffixes (.llvm.7, \
      .cold, .part.0, Tm), and uses its sizes. See Documentation/Ordering.md.
      """)

  private static let recipes = LinkRecipe.commands(file: "app.order").map {
    LinkRecipe.wrapped($0, indent: "  ")
  }.joined(separator: "\n")

  @Argument(
    help: ArgumentHelp("The profiles, or - for standard input.", valueName: "file.flp"),
    completion: .profile)
  var profiles: [String]

  @Option(
    help: ArgumentHelp(
      "The binary to order, by path, file name or build id; * and ? are wildcards.",
      valueName: "glob"), completion: .image)
  var image: String?

  @Option(
    help: ArgumentHelp(
      "Leave out names that are not in this binary, the one to be linked.",
      valueName: "target"), completion: .file())
  var binary: String?

  @Option(help: "Ordering strategy: first-call or balanced.")
  var strategy: OrderingStrategy = .firstCall

  @Option(
    help: "Output format: \(LinkerFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: LinkerFormat = .lld

  @OptionGroup var checks: OrderChecks

  @Flag(
    help: """
      Print a table of each strategy's gain on traces held out. The order itself is written only \
      with -o.
      """)
  var evaluate = false

  @OptionGroup var destination: OutputOption

  private var output: String? { destination.output }

  func validate() throws {
    if checks.minHitRate != nil, binary == nil {
      throw ValidationError("--min-hit-rate needs --binary, to look the names up in.")
    }
  }

  func run() throws {
    let profile = try ProfileFiles.read(profiles)
    var request = OrderRequest()
    (request.image, request.strategy) = (image, strategy)
    (request.pageSize, request.minimumHitRate) = (checks.pageSize, checks.minHitRate)
    request.target = try binary.map { ($0, try TargetBinary.symbols(of: $0)) }
    if image == nil, let binary {
      // A binary that the profile has is the one to order, also if it is a library.
      let id = try DebugImage(path: binary, debugDirectories: []).recordedID
      if profile.builds.contains(where: { $0.build.buildID == id }) {
        request.image = id.description
      }
    }
    let code = try request.input(in: profile)
    if let names = code.names, let binary {
      Terminal.report(NameReportText.text(names, target: binary))
    }
    if evaluate {
      try code.checkTraces()
      try Output.write(
        OrderEvaluationText.text(OrderEvaluation(of: code, pageSize: checks.pageSize)), to: nil)
    }
    if !evaluate || output != nil {
      let text = format.text(request.order(of: code))
      try Output.write(text, to: output)
      if output != nil, output != "-", text.containsUTF8("Use: ") {
        Terminal.report("next: link with the flags that its lines \"Use:\" show")
      }
    }
  }
}

extension LinkerFormat: ExpressibleByArgument {}
extension OrderingStrategy: ExpressibleByArgument {}
