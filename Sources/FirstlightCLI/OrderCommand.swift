import ArgumentParser
import DebugInfo
import FirstlightModel
import LinkerFormats
import ProfileStore
import SymbolOrdering

struct OrderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Makes a symbol order for the linker: the functions in the order of first calls.",
    discussion: """
      Relink with it:

        swift build -c release -Xswiftc -use-ld=lld -Xlinker --symbol-ordering-file=$PWD/app.order
        clang -fuse-ld=lld -Wl,--symbol-ordering-file=app.order ...

      The order is of one image: the executable, unless --image names another. With several \
      profiles or runs a function's place is the median of its places.
      """)

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

  @Option(help: "lld or gold.")
  var format: LinkerFormat = .lld

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  func run() throws {
    let profile = try ProfileFiles.read(profiles)
    let build = try ImageChoice(glob: image).index(in: profile)
    var order: SymbolOrder
    if let binary {
      let target = try DebugImage(path: binary)
      guard target.hasSymbols else {
        throw Failure(
          .data, "\(binary): has no symbols, so no name can be found in it",
          advice: "name the binary before it is stripped")
      }
      order = SymbolOrder(
        firstCallsOf: build, in: profile, exists: { target.hasSymbol(named: $0) })
    } else {
      order = SymbolOrder(firstCallsOf: build, in: profile)
    }
    if order.names.isEmpty { throw nothing(in: order, recorded: profile.builds[build]) }
    try Output.write(format.text(order), to: output)
    if order.absentNames > 0 {
      let all = order.absentNames + order.names.count
      Terminal.complain(
        "\(order.names.count) of \(all) names are in \(binary ?? ""); the others were left out")
    }
  }

  private func nothing(in order: SymbolOrder, recorded: RecordedBuild) -> Failure {
    if order.calledFunctions == 0 {
      return Failure(
        .data, "\(recorded.build.path): none of its functions was called in these runs",
        advice: "record a run that does what it is for")
    }
    if order.absentNames > 0 {
      return Failure(
        .data,
        "\(binary ?? ""): has none of the \(order.absentNames) names that ran in "
          + recorded.build.path, advice: "name the binary that is built from the same sources")
    }
    return Failure(
      .data, "\(recorded.build.path): its functions have no names",
      advice: "record a build that has its symbols")
  }
}

extension LinkerFormat: ExpressibleByArgument {}
