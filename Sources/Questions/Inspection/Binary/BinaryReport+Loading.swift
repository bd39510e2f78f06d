import FirstlightModel

/// Findings on the loader's work before the program's first instruction.
extension BinaryReport {
  static func relocations(_ facts: BinaryFacts) -> Finding? {
    let relocations = facts.relocations
    guard relocations.count > 0 else { return nil }
    let names = Set(texts: relocations.tables.map(\.name))
    let tables = filePages(facts) { names.contains($0.name) }
    var details: [Finding.Detail] = []
    for (kind, count) in relocations.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
    {
      details.append(.init(kind.text, .count(count)))
    }
    details.append(.init("packed", .count(relocations.packed)))
    for table in relocations.tables { details.append(.init(table.name, .bytes(table.bytes))) }
    details.append(.init("pages of these tables", .pages(tables)))
    details.append(.init("pages written", .pages(relocations.dirtiedPagesInAll)))
    for (section, pages) in relocations.dirtiedPages.sorted(by: {
      ($1.value, $0.key) < ($0.value, $1.key)
    }) {
      details.append(.init("  in \(section)", .pages(pages)))
    }
    if relocations.isDamaged {
      details.append(.init("damaged", .text("some are outside the loaded sections")))
    }
    let unpacked = relocations.relative - relocations.packed
    // Packing saves nothing below a page of entries.
    let isWorthPacking = unpacked > Int(PageSize.reported) / 24 && facts.isPositionIndependent
    var title = "relocations applied at start"
    var advice = ""
    var price = ""
    if isWorthPacking {
      title += ", not packed"
      advice = "link with -Wl,-z,pack-relative-relocs (lld, or GNU ld 2.38 and newer): nearly "
      advice += "eliminates the tables of relative relocations"
      price = "needs glibc 2.36 or newer at run time"
    } else if relocations.packed > 0 {
      title += ", packed"
      advice = "nothing left to pack; the pages written are private to the process"
    }
    return Finding(
      .relocations, title, cost: .always(tables + relocations.dirtiedPagesInAll), details: details,
      advice: advice, price: price)
  }

  static func positionIndependence(_ facts: BinaryFacts) -> Finding? {
    guard facts.kind == .executable, facts.isPositionIndependent,
      facts.relocations.relative > Int(PageSize.reported) / 8
    else { return nil }
    return Finding(
      .positionIndependence, "position-independent executable: addresses are adjusted at start",
      cost: .none,
      advice: "link with -no-pie: no relative relocations; measured to save minor faults but no "
        + "time", price: "code and data at known addresses (no ASLR)")
  }

  static func exportedSymbols(_ facts: BinaryFacts) -> Finding? {
    // A few exports (`environ`, `stdout`) come from the C library's headers.
    guard facts.kind == .executable, facts.dynamic.exported.count > 32 else { return nil }
    let tables: Set<TextBytes> = [".dynsym", ".dynstr", ".gnu.hash", ".hash", ".gnu.version"]
    let found = facts.sections.filter { tables.contains($0.name) }
    return Finding(
      .exportedSymbols, "the executable exports symbols to shared libraries",
      cost: .upTo(filePages(facts) { tables.contains($0.name) }),
      details: [.init("exported", .count(facts.dynamic.exported.count))]
        + found.map { .init($0.name, .bytes($0.size)) },
      advice: "link with -Wl,--no-export-dynamic (swift build: -Xlinker --no-export-dynamic)",
      price: "dladdr and backtraces inside the program name fewer functions; plug-ins that use "
        + "symbols of the executable no longer load")
  }

  /// The loader opens, maps and relocates each library.
  static func libraries(_ libraries: [LibraryUse]) -> Finding? {
    guard !libraries.isEmpty else { return nil }
    let unused = libraries.filter(\.isUnused)
    var details = [Finding.Detail("needed", .count(libraries.count))]
    for library in libraries {
      let what: Finding.Detail.Value =
        library.path == nil
        ? .text("not found on this machine")
        : .text(
          "\(library.symbols == 1 ? "1 symbol" : "\(library.symbols) symbols") used directly, \(library.path!)"
        )
      details.append(.init("  \(library.name)", what))
    }
    return Finding(
      .libraries,
      unused.isEmpty
        ? "shared libraries, each mapped and relocated at start"
        : "shared libraries; \(unused.count) with no symbol used directly", cost: .none,
      details: details,
      advice: unused.isEmpty
        ? ""
        : "link with -Wl,--as-needed to leave out " + unused.map(\.name).joined(separator: ", ")
          + ", unless another library needs them",
      price: unused.isEmpty
        ? "" : "initializers of the libraries left out do not run, and dlsym does not find them")
  }

  static func hashStyle(_ facts: BinaryFacts) -> Finding? {
    guard facts.dynamic.hasSystemVHash, !facts.dynamic.hasGNUHash else { return nil }
    return Finding(
      .hashStyle, "only the older symbol hash table (DT_HASH)", cost: .none,
      details: facts.section(".hash").map { [.init(".hash", .bytes($0.size))] } ?? [],
      advice: "link with -Wl,--hash-style=gnu", price: "needs glibc 2.5 or newer (2006), or musl")
  }
}
