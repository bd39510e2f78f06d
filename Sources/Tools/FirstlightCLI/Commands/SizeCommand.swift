import ArgumentParser
import FirstlightModel
import Inspection
import NeverCalled
import Recording
import Startup
import SystemSupport

struct SizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "size",
    abstract: "Shows what a binary is made of, what of it ran, and why dependencies are there.",
    usage: "firstlight size [<options>] <binary> [<file.flp> ...]",
    discussion: """
        firstlight size .build/release/app
        firstlight size .build/release/app app.flp
        firstlight size .build/release/app app.flp -o app.html
        firstlight size new/app --against old/app

      Tables: sections, modules, the calls of your own code into each dependency, generic functions \
      with copies for certain types, and the largest symbols. Sections add up to the file's size, \
      and so do modules with the bytes that belong to none. Calls through pointers and tables are \
      not among the calls shown.

      With profiles, a share says how much of a module's code was called. C code without debug \
      information has no module unless --map names the linker's map.

      Exit codes (others: see firstlight --help):
        0   shown
        65  not an executable or shared library, or a profile of another program
        66  a file cannot be read
      """)

  @Argument(
    help: ArgumentHelp("The executable or shared library.", valueName: "binary"),
    completion: .file())
  var binary: String

  @Argument(
    help: ArgumentHelp("Profiles of the program.", valueName: "file.flp"), completion: .profile)
  var profiles: [String] = []

  @OptionGroup var form: ReportOptions<SizeFormat>

  @Option(
    help: ArgumentHelp("Show the growth since this older binary; text or json.", valueName: "old"),
    completion: .file())
  var against: String?

  @Option(help: ArgumentHelp("Linker map of this binary.", valueName: "file"), completion: .file())
  var map: String?

  @Option(
    help: ArgumentHelp(
      "Your own source files, as a pattern (default: those of the project around). Repeatable.",
      valueName: "pattern"))
  var own: [String] = []

  @Option(help: "Rows in each table of the text; 0 shows all.")
  var limit = 20

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit must be 0 or more.") }
    if against != nil, ![.text, .json].contains(form.format) {
      throw ValidationError(
        "--against supports only the formats text and json, not \(form.format).")
    }
  }

  func run() throws {
    var tree = SourceTree(around: [binary])
    tree.own = own
    let report = try SizedBinary.report(
      of: binary, in: tree, calls: profiles.isEmpty ? nil : ProfileFiles.read(profiles),
      map: map.map { path throws(Failure) in try LinkMapFile.read(path) } ?? [])
    let style = Output.style(form.output)
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    guard let against else {
      return try Output.write(
        form.format.text(report, limit: limit, paths: paths, style: style), to: form.output)
    }
    let growth = try SizeDifference(
      before: SizedBinary.report(of: against, in: tree), after: report)
    try Output.write(
      form.format == .json ? JSONForm.pretty(growth) : growth.document(limit: limit).text(style),
      to: form.output)
  }
}

extension SizeFormat: OutputFormat {}
