import FirstlightModel
import Recording

/// A sentence about a library, the advice, and its cost.
struct LibraryAdvice: Sendable {
  /// Empty if the numbers are sufficient.
  var sentence: String
  /// Empty if there is none.
  var advice = ""
  var price = ""

  /// Maximum number of symbols for which the advice is to avoid the library.
  private static let few = 8

  /// - Parameter demangle: demangles a linker name.
  init(
    _ library: LibraryReport.Library, in report: LibraryReport,
    demangle: (String) -> String = { $0 }
  ) {
    let file = BaseName.of(library.node.name)
    let binary = BaseName.of(report.binary.node.name)
    let flag = Self.flag(file)
    switch library.verdict {
    case .unneeded:
      sentence = "unused: no symbol of it is bound"
      let listers = library.neededBy.filter { RuntimeLibrary($0) == nil }
      if library.canBeLeftOut, !listers.isEmpty {
        advice =
          "link \(Self.list(listers)) without \(flag)"
          + (report.isSwift ? "" : ", or with -Wl,--as-needed before it")
        price = Self.priceOfLeavingOut(library, demangle)
      }
    case .notCalled:
      sentence = "only its initializers ran in this run"
      if library.canBeOpened {
        advice = Self.open(file, library)
        price = "a missing library is noticed only when it is opened, in runs that call it"
      }
    case .afterReady:
      let late = ((library.run?.firstUse ?? 0) - (report.ready ?? 0)) * 1000
      sentence = "first used \(Int(clamping: late.rounded())) ms after ready"
      if library.canBeOpened {
        advice = Self.open(file, library)
        price = "a missing library is noticed only when it is opened"
      }
    case .listedWithoutUse:
      sentence =
        "\(binary) needs it but binds none of its symbols; used by "
        + Self.list(library.uses.map(\.by))
      if library.canBeLeftOut {
        advice =
          "link \(binary) \(report.isSwift ? "without \(flag)" : "with -Wl,--as-needed before \(flag)")"
          + "; it stays loaded while another library needs it"
      }
    case .used where library.node.isLoadedLater:
      sentence = "loaded by the program (dlopen), directly or as a dependency"
    case .used:
      let symbols = library.boundSymbols
      // The user can only change what the binary itself uses.
      if library.runtime == nil, (1...Self.few).contains(symbols.count),
        library.neededBy == [binary], library.uses.allSatisfy({ $0.by == binary })
      {
        let one = symbols.count == 1 ? "one symbol" : "\(symbols.count) symbols"
        sentence =
          "loaded only for \(one): \(Self.list(symbols.prefix(3).map(demangle) + symbols.dropFirst(3)))"
        // Swift's driver has its own link order.
        let flags = report.isSwift ? "" : " (\(Self.staticFlags(library)))"
        advice = "link it into \(binary)\(flags), or avoid it"
        price = "needs a static library; its updates need a new link"
        if !library.ownInitializers.isEmpty { price += "; check that its initializers still run" }
      } else {
        sentence = ""
      }
    }
    if !library.brings.isEmpty, !sentence.isEmpty, !library.node.isLoadedLater {
      sentence +=
        "; only it needs \(Self.list(library.brings)), \(library.pagesInAll) pages in total"
    }
  }

  /// The linker flag: `-lfoo` for `libfoo.so.1`.
  private static func flag(_ file: String) -> String {
    guard file.begins(with: "lib"), let end = file.firstRange(ofUTF8: ".so") else { return file }
    return "-l" + file[..<end.lowerBound].dropFirst(3)
  }

  /// A static library does not add the libraries that it needs.
  private static func staticFlags(_ library: LibraryReport.Library) -> String {
    let needs = library.node.facts.dynamic.needed.filter { RuntimeLibrary($0) != .system }
    return
      (["-Wl,-Bstatic", flag(BaseName.of(library.node.name)), "-Wl,-Bdynamic"] + needs.map(flag))
      .joined(separator: " ")
  }

  private static func open(_ file: String, _ library: LibraryReport.Library) -> String {
    if library.node.isLoadedLater { return "dlopen it only where it is called" }
    let symbols = library.boundSymbols.count
    return
      "leave out \(flag(file)); where it is first needed, dlopen(\"\(file)\", RTLD_LAZY) and "
      + "dlsym its \(symbols == 1 ? "symbol" : "\(symbols) symbols")"
  }

  private static func priceOfLeavingOut(
    _ library: LibraryReport.Library, _ demangle: (String) -> String
  ) -> String {
    let own = library.ownInitializers
    let named = own.map(\.name).filter { !$0.isEmpty }.map(demangle)
    var what = "dlsym no longer finds its symbols"
    if !named.isEmpty {
      what = "\(list(named)) no longer \(named.count == 1 ? "runs" : "run") at start, and " + what
    } else if !own.isEmpty {
      what =
        "\(own.count == 1 ? "an unnamed initializer" : "\(own.count) unnamed initializers") "
        + "(one is from the C start files) no longer \(own.count == 1 ? "runs" : "run"), and "
        + what
    }
    return what
  }

  private static func list(_ names: [String]) -> String {
    guard names.count > 1 else { return names.first ?? "none" }
    let shown = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}
