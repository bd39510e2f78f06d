import DeadCode
import DebugInfo
import FirstlightModel
import References
import ReportFormats
import SystemSupport
import TextFormatting

/// Everything known about functions with a name, from a profile or a binary.
package struct FunctionAnswer {
  private static let mostShown = 20
  /// If there are more functions than this, they are listed instead.
  private static let mostStories = 3

  private let symbol: String
  private let profile: Profile
  private let report: DeadCodeReport
  private let ownCode: OwnCode?
  private let found: [FunctionReport]

  /// - Parameters:
  ///   - symbol: a name as `dead` lists it, a linker name, part of a name, or a pattern.
  ///   - path: the path of the profile.
  /// - Throws: `Failure` if the project's rules cannot be read.
  package init(to symbol: String, in profile: Profile, at path: String) throws(Failure) {
    self.symbol = symbol
    self.profile = profile
    var request = NeverCalledRequest()
    try SourceTree(around: [path]).describe(profile, to: &request)
    ownCode = request.ownCode
    report = DeadCodeReport(of: profile, for: request)
    found = report.functions(named: symbol, matches: Glob.matches)
  }

  /// Whether the profile has no such function.
  package var isEmpty: Bool { found.isEmpty }

  /// The facts from the profile and from the compilers' index.
  ///
  /// - Parameter index: the path of the index; nil: the one beside the recorded binary, if there is one.
  /// - Throws: `Failure` if the given index cannot be used.
  package func text(index: String?) throws -> String {
    guard !isEmpty else { return "" }
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    let shown = found.prefix(Self.mostShown)
    // Functions with the same name cannot be requested one by one.
    let hasStories = found.count <= Self.mostStories || Set(found.map(\.name)).count == 1
    var text: String
    if hasStories {
      let references = try references(index)
      text = shown.map {
        FunctionStory(
          row: $0, report: report, references: references, profile: profile, paths: paths
        ).text
      }.joined(separator: "\n")
    } else {
      text = FunctionStory.list(shown, paths: paths)
    }
    if found.count > Self.mostShown {
      let more = CountText.text(found.count - Self.mostShown, "more function")
      text += "\n\(more) not shown: use a longer name\n"
    } else if !hasStories {
      text += "\n\(CountText.text(found.count, "function")) match: name one of them\n"
    }
    return text
  }

  /// Nil if there is no index and none was requested.
  private func references(_ index: String?) throws -> Result<FunctionReferences, Failure>? {
    let source = RecordedSource(index ?? "auto", of: profile, ownCode)
    if index != nil { return .success(try source.references(to: report)) }
    return source.foundReferences(to: report)
  }

  /// The binary's symbols whose names match.
  package func text(of image: DebugImage) -> String {
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
