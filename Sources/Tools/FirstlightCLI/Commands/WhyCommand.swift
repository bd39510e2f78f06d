import ArgumentParser
import DeadCode
import DebugInfo
import FirstlightModel
import KeepRules
import ProfileFile
import Recording
import References
import ReportFormats
import StartupMeasurement
import SystemSupport
import TextFormatting

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Shows everything known about one function: verdict, code, callers, first call.",
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
    help: ArgumentHelp(
      "Also look the function up in this executable or shared library.", valueName: "file"),
    completion: .file())
  var binary: String?

  @Option(
    help: ArgumentHelp(
      "The compilers' index that shows what refers to the function (default: the one beside the "
        + "recorded binary, if there is one).", valueName: "path"), completion: .directory)
  var index: String?

  private static let mostShown = 20
  /// Of more functions there is a list.
  private static let mostStories = 3

  func run() throws {
    let path = try profile ?? LastProfile.announced()
    let profile = try ProfileFiles.read([path])
    let sources = SourceFiles(maps: [])
    var options = DeadCodeReport.Options()
    options.isImplicit = sources.isImplicit
    options.inlining = sources.inlining
    options.keepReason = sources.keepReason
    let report = DeadCodeReport(of: profile, options: options)
    let found = report.functions(named: symbol, matches: Glob.matches)
    let image = try binary.map { path throws(Failure) in try TargetBinary.open(path) }
    guard !found.isEmpty || image != nil else {
      throw Failure(
        .data, "\(path): no function is named \(symbol)",
        advice: "try part of its name, or look it up in the binary with --binary")
    }
    // Functions of one name can only be shown together.
    let isAnswer = found.count <= Self.mostStories || Set(found.map(\.name)).count == 1
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    let references = try found.isEmpty || !isAnswer ? nil : references(to: report, of: profile)
    var text =
      isAnswer
      ? found.prefix(Self.mostShown).map {
        FunctionStory(
          row: $0, report: report, references: references, profile: profile, paths: paths
        ).text
      }.joined(separator: "\n") : FunctionStory.list(found.prefix(Self.mostShown), paths: paths)
    if found.count > Self.mostShown {
      text +=
        "\n\(CountText.text(found.count - Self.mostShown, "more function")) not shown: use a longer "
        + "name\n"
    } else if !isAnswer {
      text += "\n\(CountText.text(found.count, "function")) match: name one of them\n"
    }
    if let image {
      text += (text.isEmpty ? "" : "\n") + self.text(of: image)
      try image.checkUnchanged()
    }
    try Output.write(text, to: nil)
  }

  /// Nil: there is no index, and none was asked for.
  private func references(
    to report: DeadCodeReport, of profile: Profile
  ) throws -> Result<FunctionReferences, Failure>? {
    let folder = AbsolutePath.workingDirectory ?? "/"
    let ownCode = OwnCode.of(
      profile, in: [[ProjectFolder.around(folder)]], own: [], rules: KeepRules(), base: folder,
      map: { $0 })
    let source = RecordedSource(index ?? "auto", of: profile, ownCode)
    if index != nil { return .success(try source.references(to: report)) }
    return source.foundReferences(to: report)
  }

  /// The binary's symbols whose names match.
  private func text(of image: DebugImage) -> String {
    let symbols = image.functionSymbols
    let names = Demangler.demangle(symbols.map(\.name))
    let isPattern = symbol.contains { "*?[".contains($0) }
    let fits = symbols.indices.filter { index in
      [symbols[index].name, names[index]].contains {
        isPattern ? Glob.matches(symbol, $0) : $0.contains(symbol)
      }
    }
    guard !fits.isEmpty else {
      return "\(image.path): no such symbol: inlined, or dropped by the compiler or linker\n"
    }
    var table = TextTable([.left, .right, .left])
    for index in fits.prefix(Self.mostShown) {
      table.add(
        "0x" + String(symbols[index].address, radix: 16), CountText.bytes(symbols[index].size),
        names[index])
    }
    return "\(image.path): \(CountText.text(fits.count, "symbol"))\n" + table.text(indent: "  ")
  }
}
