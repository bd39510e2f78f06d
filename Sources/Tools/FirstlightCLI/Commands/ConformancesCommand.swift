import ArgumentParser
import Building
import FirstlightModel
import SymbolOrdering
import SystemSupport

struct ConformancesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformances",
    abstract: "Makes a table from which a Swift program answers conformance look-ups.",
    discussion: """
        swift build -c release --static-swift-stdlib
        flags=$(firstlight conformances .build/release/app -o app.conformances)
        for link in 1 2; do
          rm .build/release/app
          swift build -c release --static-swift-stdlib $flags
          firstlight conformances .build/release/app -o app.conformances
        done

      For builds that `firstlight optimize` does not make, such as those of a release. Writes the \
      object file that the next link needs, and prints the flags of that link. The first link has \
      room for the table; the second one has the table of the first. A table of another build does \
      no harm, and gains nothing (Documentation/Optimizing.md).

      Exit codes (others: see firstlight --help):
        0   written
        1   --check: the program does not have its table
        65  no program with Swift's static standard library of Swift 6.0 to 6.3
        66  the binary cannot be read
      """)

  @Argument(help: ArgumentHelp("The program.", valueName: "binary"), completion: .file())
  var binary: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The object file.", valueName: "file"),
    completion: .file())
  var output: String

  @Flag(help: "Fail unless the program has its table.")
  var check = false

  func run() throws {
    let (state, records) = try ConformanceFile.write(output, for: binary)
    let count = CountText.text(records, "record")
    switch state {
    case .room: Terminal.report("\(output): room for \(count); link with it, then run this again")
    case .table: Terminal.report("\(output): the table of \(count); link with it again")
    case .held: Terminal.report("\(binary): has its table of \(count)")
    }
    if check, state != .held { throw ExitCode(1) }
    let flags = ConformanceFile.flags(object: output)
    if let word = flags.first(where: { !BuildFlags.isPlain($0) }) {
      throw Failure(
        .usage, "this flag needs shell quoting: \(word)",
        advice: "use a path without such characters")
    }
    try Output.write(flags.joined(separator: " ") + "\n", to: nil)
  }
}
