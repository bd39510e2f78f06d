import ArgumentParser
import DeadCode
import FirstlightModel
import ReportFormats

struct DeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no recorded run called.",
    discussion: """
      Functions that the compiler made (witnesses, metadata accessors, outlined copies) are counted \
      and left out; --all shows them. A function is never called as far as the recorded runs go: \
      the first lines say how much that was.

        firstlight dead app.flp --path '*/Sources/*'
        firstlight dead tests.flp --module MyLibrary
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"))
  var profiles: [String]

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Only functions of these Swift modules; for other languages, of these images. May be "
        + "repeated.", valueName: "glob"))
  var module: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only functions declared in these source files. May be repeated.", valueName: "glob"))
  var path: [String] = []

  @Flag(help: "List compiler-made functions too.")
  var all = false

  func run() throws {
    let profile = try ProfileFiles.read(profiles)
    let result = NeverCalled(of: profile, includeCompilerMade: all) { module, file in
      (self.module.isEmpty || self.module.contains { Glob.matches($0, module) })
        && (path.isEmpty || path.contains { file != nil && Glob.matches($0, file!) })
    }
    if result.totals.functions == 0 {
      throw nothing(in: profile)
    }
    switch format {
    case .text:
      try Output.write(
        NeverCalledText.text(result, workingDirectory: AbsolutePath.workingDirectory), to: output)
    case .json: try Output.write(NeverCalledJSON.text(result), to: output)
    }
  }

  private func nothing(in profile: Profile) -> Failure {
    let modules = Set(
      profile.builds.flatMap { recorded in
        recorded.build.functions.map { $0.moduleName(in: recorded.build) }
      }
    ).sorted()
    if modules.isEmpty {
      return Failure(
        .data, "the profile holds no function",
        advice: "record a program built with the words of firstlight flags")
    }
    return Failure(
      .data, "no function fits --module and --path",
      advice: "there are the modules \(modules.prefix(12).joined(separator: ", "))"
        + (modules.count > 12 ? ", ..." : ""))
  }
}
