import ArgumentParser
import FirstlightModel
import ProfileFile
import Reports
import Startup
import SystemSupport

struct TimelineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows where a recorded run's time went: threads, first calls, stages, marks.",
    usage: "firstlight timeline [<options>] <file.flp>",
    discussion: """
        firstlight timeline app.flp
        firstlight timeline app.flp -o app.html
        firstlight timeline app.flp -o app.json       # for ui.perfetto.dev
        firstlight timeline app.flp -o app.folded     # for flame graph tools
        firstlight timeline new.flp --against old.flp

      The text shows stages, initializers, marks, and the slowest first calls as a list and a \
      tree, worst first. The HTML page shows threads to zoom into, a flame graph and a searchable \
      table.

      Only profiles of launch --profile have durations, those of each function's first call. \
      Other profiles have only the time at which each function first ran: for these, the longest \
      gaps without a new function are listed instead. Documentation/Timeline.md explains each \
      number.

      Exit codes (others: see firstlight --help):
        0   written
        65  not a profile, a profile of several runs or without traces, or two
            profiles of different programs
        66  the profile cannot be read
        73  the output cannot be written
      """)

  @Argument(help: ArgumentHelp("The profile.", valueName: "file.flp"), completion: .profile)
  var profile: String

  @Option(
    help: ArgumentHelp(
      "Output format: text, html, chrome (trace events, for Perfetto), folded (stacks) or json "
        + "(default: by the extension of the output file, else text)."
    ))
  var format: TimelineFormat?

  @OptionGroup var destination: OutputOption

  @Option(
    help: ArgumentHelp(
      "Show changes since this profile of the same program, worst first; as text or html.",
      valueName: "file.flp"), completion: .profile)
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Show only this process: its id, or its number in the profile, from 1 (default: all).",
      valueName: "number"))
  var process: Int?

  @Option(help: "Rows in each table of the text; 0 shows all.")
  var limit = 25

  private var output: String? { destination.output }

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit must be 0 or more.") }
    let format = try chosenFormat()
    if against != nil, format != .text, format != .html {
      throw ValidationError("--against supports only the formats text and html, not \(format).")
    }
  }

  func run() throws {
    let format = try chosenFormat()
    let timeline = try read(profile, process: process)
    if let against {
      let difference = try TimelineDifference(
        before: read(against, process: nil), after: timeline)
      let bytes =
        format == .html
        ? try TimelineRendering.page(difference)
        : Array(difference.document(limit: limit).text(Output.style(output)).utf8)
      return try Output.write(bytes, to: output)
    }
    try Output.write(timeline, as: format, limit: limit, to: output)
  }

  private func chosenFormat() throws -> TimelineFormat {
    if let format { return format }
    guard let output, ResultFile.isFile(output) else { return .text }
    guard let format = TimelineFormat(fileName: output) else {
      throw ValidationError(
        "\(output): unknown extension: use .html, .json, .folded or .txt, or pass --format."
      )
    }
    return format
  }

  private func read(_ path: String, process: Int?) throws(Failure) -> Timeline {
    let profile = try ProfileFile.read(path)
    do throws(Failure) {
      return try TimelineRendering.timeline(of: profile, process: process)
    } catch {
      throw Failure(error.kind, "\(path): \(error.problem)", advice: error.advice)
    }
  }
}

extension TimelineFormat: ExpressibleByArgument {}
