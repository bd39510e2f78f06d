import DebugInfo
import FirstlightModel
import SystemSupport

/// Functions with a name, as text: each with everything known about it, or as a list if there are many.
package enum FunctionStories {
  private static let mostShown = 20
  /// If there are more functions than this, they are listed instead.
  private static let mostStories = 3

  /// - Parameter references: reads the references to the report's functions, for stories.
  package static func text(
    _ functions: [FunctionReport], of report: DeadCodeReport, in profile: Profile,
    references: () throws(Failure) -> Result<FunctionReferences, Failure>?
  ) throws(Failure) -> String {
    guard !functions.isEmpty else { return "" }
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    let shown = functions.prefix(mostShown)
    // Functions with the same name cannot be requested one by one.
    let hasStories = functions.count <= mostStories || Set(texts: functions.map(\.name)).count == 1
    var text: String
    if hasStories {
      let references = try references()
      text = shown.map {
        FunctionStory(
          row: $0, report: report, references: references, profile: profile, paths: paths
        ).text
      }.joined(separator: "\n")
    } else {
      text = FunctionStory.list(shown, paths: paths)
    }
    if functions.count > mostShown {
      let more = CountText.text(functions.count - mostShown, "more function")
      text += "\n\(more) not shown: use a longer name\n"
    } else if !hasStories {
      text += "\n\(CountText.text(functions.count, "function")) match: name one of them\n"
    }
    return text
  }

  /// A binary's symbols.
  ///
  /// - Parameters:
  ///   - symbol: a name, part of a name, or a pattern.
  ///   - profile: shows whether the binary was recorded.
  package static func text(
    of image: DebugImage, matching symbol: String, in profile: Profile
  ) -> String {
    let isRecorded = profile.builds.contains { $0.build.buildID == image.recordedID }
    let note =
      isRecorded ? "" : "\(image.path) was not recorded: it is another build or program\n"
    return note + text(of: image, matching: symbol, isRecorded: isRecorded)
  }

  private static func text(
    of image: DebugImage, matching symbol: String, isRecorded: Bool
  ) -> String {
    let symbols = image.symbols.all
    let names = Demangler.demangle(symbols.map(\.name))
    let isPattern = symbol.utf8.contains { "*?[".utf8.contains($0) }
    let fits = symbols.indices.filter { index in
      [symbols[index].name, names[index]].contains {
        isPattern ? Glob.matches(symbol, $0) : $0.containsUTF8(symbol)
      }
    }
    guard !fits.isEmpty else {
      return "\(image.path): no such symbol"
        + (isRecorded ? ": inlined, or dropped by the compiler or linker\n" : "\n")
    }
    var table = TextTable([.left, .right, .left])
    for index in fits.prefix(mostShown) {
      table.add(
        "0x" + String(symbols[index].address, radix: 16), CountText.bytes(symbols[index].size),
        names[index])
    }
    return "\(image.path): \(CountText.text(fits.count, "symbol"))\n" + table.text(indent: "  ")
  }
}
