import FirstlightModel

/// One sentence on a library, what to do about it, and what that costs.
package struct LibraryAdvice: Sendable {
  /// Empty: the numbers say all.
  package var sentence: String
  /// Empty: nothing.
  package var advice = ""
  package var price = ""

  /// As many symbols or fewer are no reason to load a library.
  private static let few = 8

  /// - Parameters:
  ///   - binary: file name of the program.
  ///   - demangle: gives a linker's name the form for people.
  package init(
    _ library: LibraryReport.Library, of binary: String, ready: Double?,
    demangle: (String) -> String = { $0 }
  ) {
    let file = BaseName.of(library.node.name)
    let lister = library.neededBy.first ?? "the binary"
    let flag = Self.flag(file)
    switch library.verdict {
    case .unneeded:
      sentence = "unneeded: nothing binds a symbol of it"
      advice =
        "link \(Self.list(library.neededBy)) without \(flag), or with -Wl,--as-needed before it"
      price = Self.priceOfLeavingOut(library, demangle)
    case .notCalled:
      sentence = "not called in this run, but for its initializers"
      advice = Self.open(file, library)
      price = "that it is missing is noticed when it is opened, and in runs that do call it"
    case .afterReady:
      let late = ((library.run?.firstUse ?? 0) - (ready ?? 0)) * 1000
      sentence = "first used \(Int(late.rounded())) ms after ready"
      advice = Self.open(file, library)
      price = "that it is missing is noticed when it is opened"
    case .listedWithoutUse:
      sentence =
        "\(lister) lists it and binds nothing of it; used by \(Self.list(library.uses.map(\.by)))"
      advice = "link \(lister) with -Wl,--as-needed; it stays loaded as long as another needs it"
    case .used where library.node.isLoadedLater:
      sentence = "loaded by the program itself (dlopen), or for a library that was"
    case .used:
      let symbols = library.boundSymbols
      // What another's library is linked with is its makers' choice.
      if !library.isLoader, (1...Self.few).contains(symbols.count), library.neededBy == [binary] {
        let one = symbols.count == 1 ? "one symbol" : "\(symbols.count) symbols"
        sentence =
          "loaded for \(one) alone: \(Self.list(symbols.prefix(3).map(demangle) + symbols.dropFirst(3)))"
        advice =
          "link it into \(binary) (-Wl,-Bstatic \(flag) -Wl,-Bdynamic), or do without"
        price = "a static library has to be there, and its updates take a new link"
      } else {
        sentence = ""
      }
    }
    if !library.brings.isEmpty, !sentence.isEmpty, !library.node.isLoadedLater {
      sentence +=
        "; it alone brings \(Self.list(library.brings)), \(library.pagesInAll) pages in all"
    }
  }

  /// How a linker is told of it: `-lfoo` for `libfoo.so.1`.
  private static func flag(_ file: String) -> String {
    guard file.hasPrefix("lib"), let end = file.firstRange(of: ".so") else { return file }
    return "-l" + file[..<end.lowerBound].dropFirst(3)
  }

  private static func open(_ file: String, _ library: LibraryReport.Library) -> String {
    if library.node.isLoadedLater { return "open it (dlopen) only where it is called" }
    let symbols = library.boundSymbols.count
    return
      "leave \(flag(file)) out, and where it is first needed dlopen(\"\(file)\", RTLD_LAZY) and "
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
        "\(own.count == 1 ? "an initializer without a name" : "\(own.count) initializers without names") "
        + "(the C start files bring one) no longer \(own.count == 1 ? "runs" : "run"), and " + what
    }
    return what
  }

  private static func list(_ names: [String]) -> String {
    guard names.count > 1 else { return names.first ?? "nobody" }
    let shown = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}
