import ArgumentParser
import FirstlightModel
import NeverCalled
import ProfileFile
import Recording
import Startup
import SystemSupport

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Shows everything known about one function: verdict, code, callers, first call.",
    usage: "firstlight why <symbol> [<file.flp>] [<options>]",
    discussion: """
        firstlight why hash_table_clear app.flp
        firstlight why 'Ledger.balance(of:)'
        firstlight why 'Ledger.balance*' app.flp --binary .build/release/app

      The symbol is a name as dead lists it, a linker name, part of a name, or a pattern with * and ?.
      """)

  @Argument(help: "The function, by name or pattern.")
  var symbol: String

  @Argument(
    help: ArgumentHelp("The profile (default: the newest one here).", valueName: "file.flp"),
    completion: .profile)
  var profile: String?

  @Option(
    help: ArgumentHelp("The profile of the program's tests.", valueName: "file.flp"),
    completion: .profile)
  var tests: String?

  @Option(
    help: ArgumentHelp(
      "Also look the function up in this executable or shared library.", valueName: "file"),
    completion: .file())
  var binary: String?

  @Option(
    help: ArgumentHelp(
      "The compilers' index that shows what refers to the function (default: the one beside the "
        + "recorded binary, if there is one).", valueName: "path"), completion: .directory)
  var index: String?

  func run() throws {
    let path = try LastProfile.named(
      [profile].compactMap(\.self), tests: [tests].compactMap(\.self))[0]
    let answer = try FunctionAnswer(
      to: symbol, in: ProfileFiles.read([path]), at: path, index: index,
      tests: tests.map { file throws(Failure) in try ProfileFiles.readSums([file]) },
      check: DeletionQuestion.ask)
    let image = try binary.map { path throws(Failure) in try TargetBinary.open(path) }
    guard !answer.functions.isEmpty || image != nil else {
      throw Failure(
        .data, "\(path): no function is named \(symbol)",
        advice: "try part of its name, or look it up in the binary with --binary")
    }
    var text = try FunctionStories.text(answer.functions, of: answer.report, in: answer.profile) {
      () throws(Failure) in try answer.references()
    }
    if let image {
      text +=
        (text.isEmpty ? "" : "\n")
        + FunctionStories.text(
          of: image, matching: symbol, in: answer.profile)
      try image.checkUnchanged()
    }
    try Output.write(text, to: nil)
  }
}
