import BinaryInspection
import FirstlightModel
import StartupReport
import SystemSupport

/// A report on a program's shared libraries, as text.
package enum LibrariesText {
  /// - Parameter demangle: demangles a linker name.
  package static func text(_ account: LibraryReport, demangle: (String) -> String) -> String {
    let parts = [
      head(account), missing(account), account.libraries.isEmpty ? "" : table(account).text(),
      advice(account, demangle: demangle), notes(account),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func missing(_ account: LibraryReport) -> String {
    account.missing.map { name, by in
      "\(name), needed by \(by): not found; the program cannot start here\n"
        + "  -> install it, or add its directory with -Wl,-rpath or LD_LIBRARY_PATH\n"
    }.joined()
  }

  private static func advice(
    _ account: LibraryReport, demangle: (String) -> String
  ) -> String {
    var text = ""
    for library in account.libraries {
      let advice = LibraryAdvice(library, in: account, demangle: demangle)
      if advice.sentence.isEmpty { continue }
      text += "\(name(library)): \(advice.sentence)\n"
      if !advice.advice.isEmpty { text += "  -> \(advice.advice)\n" }
      if !advice.price.isEmpty { text += "     price: \(advice.price)\n" }
    }
    return text
  }

  private static func head(_ account: LibraryReport) -> String {
    let facts = account.binary.node.facts
    let path = facts.path
    if facts.dynamic.needed.isEmpty, account.libraries.isEmpty {
      return facts.interpreter == nil && facts.kind == .executable
        ? "\(path): statically linked, needs no shared libraries\n"
        : "\(path): needs no shared libraries\n"
    }
    let unneeded = account.libraries.filter { $0.verdict == .unneeded }
    let later = account.libraries.filter(\.node.isLoadedLater)
    var text = "\(path): "
    text += CountText.text(
      account.libraries.count - later.count, "shared library", "shared libraries")
    text += ", \(CountText.number(facts.dynamic.needed.count)) needed directly; "
    if !later.isEmpty { text += "\(CountText.number(later.count)) loaded later; " }
    text += unneeded.isEmpty ? "none unused\n" : "\(unneeded.count) unused\n"
    let all = [account.binary] + account.libraries
    text +=
      "\(CountText.text(all.reduce(0) { $0 + $1.node.facts.relocations.count }, "relocation")), "
      + "\(CountText.text(account.lookups.all, "symbol lookup")), "
      + "\(CountText.text(all.reduce(0) { $0 + $1.relocationPages }, "page")) of 4 KiB read or written\n"
    return text
  }

  private static func table(_ account: LibraryReport) -> TextTable {
    let hasRun = account.libraries.contains { $0.run != nil }
    var table = TextTable(
      [.left, .left] + Array(repeating: .right, count: hasRun ? 8 : 4) + [.left])
    table.add(
      row: ["Library", "Needed by", "Bound", "Relocations", "Pages", "Initializers"]
        + (hasRun ? ["First use", "Mapping", "Relocating", "Initializing"] : []) + ["File"])
    for library in account.libraries + [account.binary] {
      let facts = library.node.facts
      let isBinary = library.node.path == account.binary.node.path
      var row = [
        name(library), isBinary ? "" : needers(library),
        isBinary ? "" : CountText.number(library.boundSymbols.count),
        CountText.number(facts.relocations.count), CountText.number(library.relocationPages),
        CountText.number(facts.initializers.count),
      ]
      if hasRun {
        let run = library.run
        row.append(firstUse(run))
        row += [run?.mapping, run?.relocating, run?.initializing].map { time in
          time.map(TimeText.milliseconds) ?? "-"
        }
      }
      table.add(row: row + [library.node.path])
    }
    return table
  }

  private static func firstUse(_ run: LibraryRun?) -> String {
    guard let run, run.isWatched else { return "-" }
    return run.firstUse.map(TimeText.milliseconds) ?? "not called"
  }

  private static func name(_ library: LibraryReport.Library) -> String {
    BaseName.of(library.node.name)
  }

  private static func needers(_ library: LibraryReport.Library) -> String {
    if library.neededBy.isEmpty { return "dlopen" }
    let others = library.neededBy.count - 1
    return library.neededBy[0] + (others > 0 ? " and \(others) more" : "")
  }

  private static func notes(_ account: LibraryReport) -> String {
    var text = ""
    let facts = account.binary.node.facts
    if facts.dynamic.bindsNow {
      let calls = facts.dynamic.references.count { $0.uses == .call }
      if calls > 0 {
        text +=
          "The binary binds all functions at start (-z now): -Wl,-z,lazy defers "
          + "\(CountText.text(calls, "lookup")) to the first calls\n"
        text += "     price: the table of their addresses stays writable (no full RELRO)\n"
      }
    }
    let runtime = account.linkableSwiftRuntime
    if !runtime.isEmpty {
      text +=
        "-static-stdlib (swift build: --static-swift-stdlib) links Swift's "
        + "\(CountText.text(runtime.count, "library", "libraries")) into \(name(account.binary))\n"
      text += "     price: a larger file; their updates need a new link\n"
    }
    for (symbol, by) in account.unresolved.prefix(8) {
      text += "\(by) needs \(symbol), undefined in all of these\n"
    }
    if account.unresolved.count > 8 {
      text += "and \(CountText.text(account.unresolved.count - 8, "more symbol"))\n"
    }
    if let ready = account.ready {
      text += "Ready \(TimeText.milliseconds(ready)) after the start.\n"
    }
    for note in account.notes { text += note + "\n" }
    return text
  }
}
