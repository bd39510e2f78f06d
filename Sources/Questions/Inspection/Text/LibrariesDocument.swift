import FirstlightModel
import Reports
import SystemSupport

/// A report on a program's shared libraries.
extension LibraryReport {
  /// - Parameter demangle: demangles a linker name.
  package func document(demangle: (String) -> String) -> Document {
    let missing = missing.flatMap { name, by in
      [
        "\(name), needed by \(by): not found; the program cannot start here",
        "  -> install it, or add its directory with -Wl,-rpath or LD_LIBRARY_PATH",
      ]
    }
    let advice = libraries.flatMap { library in
      let advice = LibraryAdvice(library, in: self, demangle: demangle)
      return advice.sentence.isEmpty
        ? []
        : ["\(library.shortName): \(advice.sentence)"]
          + Document.advice(advice.advice, price: advice.price)
    }
    return Document([
      .lines(head), missing.isEmpty ? nil : .paragraph(missing),
      libraries.isEmpty ? nil : .table(table), advice.isEmpty ? nil : .paragraph(advice),
      lastLines.isEmpty ? nil : .paragraph(lastLines),
    ])
  }

  private var head: [String] {
    let facts = binary.node.facts
    if facts.dynamic.needed.isEmpty, libraries.isEmpty {
      let isStatic = facts.interpreter == nil && facts.kind == .executable
      return ["\(facts.path): \(isStatic ? "statically linked, " : "")needs no shared libraries"]
    }
    let unneeded = libraries.count { $0.verdict == .unneeded }
    let later = libraries.count(where: \.node.isLoadedLater)
    let all = [binary] + libraries
    return [
      "\(facts.path): "
        + CountText.text(libraries.count - later, "shared library", "shared libraries")
        + ", \(CountText.number(facts.dynamic.needed.count)) needed directly; "
        + (later > 0 ? "\(CountText.number(later)) loaded later; " : "")
        + (unneeded == 0 ? "none unused" : "\(unneeded) unused"),
      "\(CountText.text(all.reduce(0) { $0 + $1.node.facts.relocations.count }, "relocation")), "
        + "\(CountText.text(lookups.all, "symbol lookup")), "
        + "\(CountText.text(all.reduce(0) { $0 + $1.relocationPages }, "page")) of 4 KiB read or written",
    ]
  }

  private var table: Document.Table {
    func time(_ time: Double?) -> String { time.map(TimeText.milliseconds) ?? "-" }
    return Document.Table(
      nil,
      [
        .text("Library"), .text("Needed by", drop: 5), .number("Bound"), .number("Relocations"),
        .number("Pages", drop: 1), .number("Initializers", drop: 2, optional: true),
        .number("First use", optional: true), .number("Mapping", drop: 3, optional: true),
        .number("Relocating", optional: true), .number("Initializing", drop: 4, optional: true),
        .text("File", drop: 6),
      ],
      (libraries + [binary]).map { library in
        let facts = library.node.facts
        let isBinary = library.node.path == binary.node.path
        let run = library.run
        return [
          library.shortName, isBinary ? "" : library.needers,
          isBinary ? "" : CountText.number(library.boundSymbols.count),
          CountText.number(facts.relocations.count), CountText.number(library.relocationPages),
          CountText.number(facts.initializers.count),
          run.map { $0.isWatched ? $0.firstUse.map(TimeText.milliseconds) ?? "not called" : "-" }
            ?? "-",
          time(run?.mapping), time(run?.relocating), time(run?.initializing), library.node.path,
        ]
      })
  }

  private var lastLines: [String] {
    var lines: [String] = []
    let facts = binary.node.facts
    let calls = facts.dynamic.references.count { $0.uses == .call }
    if facts.dynamic.bindsNow, calls > 0 {
      lines += [
        "The binary binds all functions at start (-z now): -Wl,-z,lazy defers "
          + "\(CountText.text(calls, "lookup")) to the first calls",
        "     price: the table of their addresses stays writable (no full RELRO)",
      ]
    }
    let runtime = linkableSwiftRuntime
    if !runtime.isEmpty {
      lines += [
        "-static-stdlib (swift build: --static-swift-stdlib) links Swift's "
          + "\(CountText.text(runtime.count, "library", "libraries")) into \(binary.shortName)",
        "     price: a larger file; their updates need a new link",
      ]
    }
    lines += unresolved.prefix(8).map { "\($1) needs \($0), undefined in all of these" }
    if unresolved.count > 8 {
      lines.append("and \(CountText.text(unresolved.count - 8, "more symbol"))")
    }
    if let ready { lines.append("Ready \(TimeText.milliseconds(ready)) after the start.") }
    return lines + notes
  }
}

extension LibraryReport.Library {
  fileprivate var shortName: String { BaseName.of(node.name) }

  fileprivate var needers: String {
    if neededBy.isEmpty { return "dlopen" }
    let others = neededBy.count - 1
    return neededBy[0] + (others > 0 ? " and \(others) more" : "")
  }
}
