import ArgumentParser
import FirstlightModel
import LaunchTimeline
import ProfileFile
import ReportFormats

struct TimelineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows where a recorded run's time went: threads, first calls, stages, marks.",
    discussion: """
      On a terminal: stages, initializers, marks, the slowest first calls and the tree of them, worst \
      first. As a page: threads as rows to zoom into, a flame graph and a table that can be searched.

        firstlight timeline app.flp
        firstlight timeline app.flp -o app.html
        firstlight timeline app.flp -o app.json       # for ui.perfetto.dev
        firstlight timeline app.flp -o app.folded     # for flame graph tools
        firstlight timeline new.flp --against old.flp

      Durations are of a function's first call, and only in profiles that were recorded with returns \
      (launch --profile). With guards only the moment of each first call is \
      known: then the longest times without a new function are listed instead.

      Documentation/Timeline.md tells what each number means.

      Exit codes: 0 written; 64 the command line is wrong; 65 the file is no profile, its traces were \
      left out by a merge, it has several runs, or the two are of different programs; 66 it cannot be \
      read; 73 the output cannot be written.
      """)

  @Argument(help: ArgumentHelp("The profile.", valueName: "file.flp"))
  var profile: String

  @Option(
    help: ArgumentHelp(
      "text, html, chrome (trace events, for Perfetto), folded (stacks) or json; by default what "
        + "the ending of the output's name says, else text."))
  var format: TimelineFormat?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Tell what changed since this profile of the same program, worst first; as text or html.",
      valueName: "file.flp"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Only this process: its id, or its place in the profile, from 1. By default all.",
      valueName: "number"))
  var process: Int?

  @Option(help: "Rows of each table of the text; 0 is all.")
  var limit = 25

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit has to be 0 or more.") }
    let format = try chosenFormat()
    if against != nil, format != .text, format != .html {
      throw ValidationError("--against tells what changed as text or html, not as \(format).")
    }
  }

  func run() throws {
    let format = try chosenFormat()
    let timeline = try read(profile, process: process)
    if let against {
      let difference = try TimelineDifference(
        before: read(against, process: nil), after: timeline)
      let text =
        format == .html
        ? try TimelineRendering.page(difference)
        : TimelineDifferenceText(difference, limit: limit).text
      return try Output.write(text, to: output)
    }
    try Output.write(TimelineRendering.text(timeline, as: format, limit: limit), to: output)
  }

  private func chosenFormat() throws -> TimelineFormat {
    if let format { return format }
    guard let output, output != "-" else { return .text }
    guard let format = TimelineFormat(fileName: output) else {
      throw ValidationError(
        "\(output): its name doesn't tell the format: let it end in .html, .json, .folded or .txt, "
          + "or say --format.")
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
