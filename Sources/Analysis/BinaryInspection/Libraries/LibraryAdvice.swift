import FirstlightModel

/// One sentence on a library, the advice, and its price.
package struct LibraryAdvice: Sendable {
  /// Empty: nothing to add to the numbers.
  package var sentence: String
  /// Empty: nothing.
  package var advice = ""
  package var price = ""

  /// As many symbols or fewer are no reason to load a library.
  private static let few = 8

  /// - Parameters:
  ///   - binary: file name of the program.
  ///   - demangle: demangles a linker name.
  package init(
    _ library: LibraryReport.Library, of binary: String, ready: Double?,
    demangle: (String) -> String = { $0 }
  ) {
    let file = BaseName.of(library.node.name)
    let lister = library.neededBy.first ?? "the binary"
    let flag = Self.flag(file)
    switch library.verdict {
    case .unneeded:
      sentence = "unused: no symbol of it is bound"
      advice =
        "link \(Self.list(library.neededBy)) without \(flag), or with -Wl,--as-needed before it"
      price = Self.priceOfLeavingOut(library, demangle)
    case .notCalled:
      sentence = "only its initializers ran in this run"
      advice = Self.open(file, library)
      price = "a missing library is noticed only when it is opened, in runs that call it"
    case .afterReady:
      let late = ((library.run?.firstUse ?? 0) - (ready ?? 0)) * 1000
      sentence = "first used \(Int(late.rounded())) ms after ready"
      advice = Self.open(file, library)
      price = "a missing library is noticed only when it is opened"
    case .listedWithoutUse:
      sentence =
        "\(lister) needs it but binds none of its symbols; used by "
        + Self.list(library.uses.map(\.by))
      advice = "link \(lister) with -Wl,--as-needed; it stays loaded while another library needs it"
    case .used where library.node.isLoadedLater:
      sentence = "loaded by the program (dlopen), directly or as a dependency"
    case .used:
      let symbols = library.boundSymbols
      // What another's library is linked with is its makers' choice.
      if !library.isLoader, (1...Self.few).contains(symbols.count), library.neededBy == [binary] {
        let one = symbols.count == 1 ? "one symbol" : "\(symbols.count) symbols"
        sentence =
          "loaded only for \(one): \(Self.list(symbols.prefix(3).map(demangle) + symbols.dropFirst(3)))"
        advice =
          "link it into \(binary) (-Wl,-Bstatic \(flag) -Wl,-Bdynamic), or avoid it"
        price = "needs a static library; its updates need a new link"
      } else {
        sentence = ""
      }
    }
    if !library.brings.isEmpty, !sentence.isEmpty, !library.node.isLoadedLater {
      sentence +=
        "; only it needs \(Self.list(library.brings)), \(library.pagesInAll) pages in total"
    }
  }

  /// Its linker flag: `-lfoo` for `libfoo.so.1`.
  private static func flag(_ file: String) -> String {
    guard file.hasPrefix("lib"), let end = file.firstRange(of: ".so") else { return file }
    return "-l" + file[..<end.lowerBound].dropFirst(3)
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
