import FirstlightModel

/// What the loader reads and writes before the program's first instruction.
extension BinaryReport {
  static func relocations(_ facts: BinaryFacts) -> Finding? {
    let relocations = facts.relocations
    guard relocations.count > 0 else { return nil }
    let names = Set(relocations.tables.map(\.name))
    let tables = filePages(facts) { names.contains($0.name) }
    var details: [Finding.Detail] = []
    for (kind, count) in relocations.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
    {
      details.append(.init(kind, .count(count)))
    }
    details.append(.init("of these packed", .count(relocations.packed)))
    for table in relocations.tables { details.append(.init(table.name, .bytes(table.bytes))) }
    details.append(.init("pages of these tables", .pages(tables)))
    details.append(.init("pages written to", .pages(relocations.dirtiedPagesInAll)))
    for (section, pages) in relocations.dirtiedPages.sorted(by: {
      ($1.value, $0.key) < ($0.value, $1.key)
    }) {
      details.append(.init("  in \(section)", .pages(pages)))
    }
    if relocations.isDamaged {
      details.append(.init("damaged", .text("some lie outside what is loaded")))
    }
    let unpacked = relocations.relative - relocations.packed
    // Below a page of entries there is nothing to win.
    let isWorthPacking = unpacked > Int(PageSize.reported) / 24 && facts.isPositionIndependent
    var title = "relocations applied at start"
    var advice = ""
    var price = ""
    if isWorthPacking {
      title += ", not packed"
      advice = "link with -Wl,-z,pack-relative-relocs (lld, or GNU ld 2.38 and newer): the tables "
      advice += "of relative relocations all but vanish"
      price = "needs glibc 2.36 or newer where it runs"
    } else if relocations.packed > 0 {
      title += ", packed"
      advice = "nothing more to pack; what they write to are pages of the process's own"
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
      .positionIndependence, "position independent executable: each address is adjusted at start",
      cost: .none,
      advice: "linked with -no-pie it has no relative relocations; in our measurements that spared "
        + "minor faults and no time", price: "its code and data lie at known addresses (no ASLR)")
  }

  static func exportedSymbols(_ facts: BinaryFacts) -> Finding? {
    // A few (`environ`, `stdout`) come from the C library's headers.
    guard facts.kind == .executable, facts.dynamic.exported.count > 32 else { return nil }
    let tables: Set<String> = [".dynsym", ".dynstr", ".gnu.hash", ".hash", ".gnu.version"]
    let found = facts.sections.filter { tables.contains($0.name) }
    return Finding(
      .exportedSymbols, "the executable exports symbols to shared libraries",
      cost: .upTo(filePages(facts) { tables.contains($0.name) }),
      details: [.init("exported", .count(facts.dynamic.exported.count))]
        + found.map { .init($0.name, .bytes($0.size)) },
      advice: "link with -Wl,--no-export-dynamic (swift build: -Xlinker --no-export-dynamic)",
      price: "dladdr and backtraces inside the program name fewer functions, and plug-ins that use "
        + "the executable's own symbols no longer load")
  }

  /// Libraries are the loader's work too: each is opened, mapped and relocated.
  static func libraries(_ libraries: [LibraryUse]) -> Finding? {
    guard !libraries.isEmpty else { return nil }
    let unused = libraries.filter(\.isUnused)
    var details = [Finding.Detail("needed", .count(libraries.count))]
    for library in libraries {
      let what: Finding.Detail.Value =
        library.path == nil
        ? .text("not found on this machine")
        : .text("\(library.symbols) of its symbols used directly, \(library.path!)")
      details.append(.init("  \(library.name)", what))
    }
    return Finding(
      .libraries,
      unused.isEmpty
        ? "shared libraries, each mapped and relocated at start"
        : "shared libraries, of \(unused.count) of which no symbol is used directly", cost: .none,
      details: details,
      advice: unused.isEmpty
        ? ""
        : "link with -Wl,--as-needed: leaves out " + unused.map(\.name).joined(separator: ", ")
          + ", unless another library needs them",
      price: unused.isEmpty
        ? "" : "initializers of a library that is left out no longer run, nor does dlsym find it")
  }

  static func hashStyle(_ facts: BinaryFacts) -> Finding? {
    guard facts.dynamic.hasSystemVHash, !facts.dynamic.hasGNUHash else { return nil }
    return Finding(
      .hashStyle, "symbols are looked up in the older hash table (DT_HASH) only", cost: .none,
      details: facts.section(".hash").map { [.init(".hash", .bytes($0.size))] } ?? [],
      advice: "link with -Wl,--hash-style=gnu", price: "needs glibc 2.5 or newer (2006), or musl")
  }
}
