import ArgumentParser
import FirstlightModel
import Startup

/// The options that choose the deciding rows of a gate.
struct GateRowOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Rows that decide, separated by commas: \(GateRow.words.joined(separator: ", ")) (default: "
        + "all). The others are only shown.", valueName: "rows"))
  var judge: String?

  @Option(help: ArgumentHelp("Rows that do not decide, as for --judge.", valueName: "rows"))
  var ignore: String?

  @Flag(
    help: "For machines shared with others, such as hosted CI: time and major faults do not decide."
  )
  var sharedRunner = false

  func validate() throws {
    _ = try Self.rows(judge, of: "--judge")
    _ = try Self.rows(ignore, of: "--ignore")
    if judged.isEmpty { throw ValidationError("No row is left to be judged.") }
  }

  var judged: Set<GateRow> {
    let all = sharedRunner ? GateRow.ofSharedMachines : Set(GateRow.allCases)
    let wanted = (try? Self.rows(judge, of: "")) ?? all
    return wanted.subtracting((try? Self.rows(ignore, of: "")) ?? [])
  }

  private static func rows(_ list: String?, of option: String) throws -> Set<GateRow>? {
    guard let list else { return nil }
    return Set(
      try list.split(at: ",").flatMap { word in
        guard let rows = GateRow.named(String(word)) else {
          throw ValidationError(
            "\(option): there is no row '\(word)'; there are \(GateRow.words.joined(separator: ", "))"
          )
        }
        return rows
      })
  }
}
