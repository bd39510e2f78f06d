import FirstlightModel

/// Findings on the program's own code and its build.
extension BinaryReport {
  static func instrumentation(_ facts: BinaryFacts) -> Finding? {
    guard !facts.instrumentation.isEmpty else { return nil }
    return Finding(
      .instrumentation, Instrumentation.warning, cost: .none,
      details: facts.instrumentation.map { .init($0.place, .text($0.source)) }
        + (facts.guardCount > 0 ? [.init("guards", .count(facts.guardCount))] : []),
      advice: "inspect and compare a build without these flags")
  }

  static func text(_ facts: BinaryFacts) -> Finding? {
    let pages = filePages(facts, \.isExecutable)
    guard pages > 0 else { return nil }
    return Finding(
      .text, "code, read where start-up runs it", cost: .upTo(pages),
      details: [
        .init("bytes", .bytes(facts.sections.filter(\.isExecutable).reduce(0) { $0 + $1.size })),
        .init("functions with a symbol", .count(facts.functionStarts.count)),
      ],
      // Code within a few read-aheads is in memory at once, in any order.
      advice: pages > 64
        ? "place start-up functions together: firstlight record, then firstlight order"
        : "")
  }

  static func ownSections(_ facts: BinaryFacts, _ input: SharedSections?) -> Finding? {
    guard let input else {
      guard filePages(facts, \.isExecutable) > 64 else { return nil }
      return Finding(
        .ownSections, "functions that share a section: unknown without a linker map", cost: .none,
        advice: "link with -Wl,-Map=FILE and pass --map FILE")
    }
    guard input.sections > 0 else { return nil }
    var details: [Finding.Detail] = [
      .init("functions in shared sections", .count(input.functions)),
      .init("their bytes", .bytes(input.bytes)),
    ]
    for group in input.files.prefix(12) {
      details.append(
        .init(
          "  \(group.file)", .text("\(group.functions) functions, \(group.bytes) bytes")))
    }
    if input.files.count > 12 {
      details.append(.init("  more files", .count(input.files.count - 12)))
    }
    return Finding(
      .ownSections, "functions that share a section: an order cannot move them apart",
      cost: .upTo(Int((input.bytes + PageSize.reported - 1) / PageSize.reported)), details: details,
      advice: "compile these with -ffunction-sections (Swift: -Xfrontend -function-sections)")
  }

  static func initializers(_ facts: BinaryFacts) -> Finding? {
    guard !facts.initializers.isEmpty else { return nil }
    let pages = Set(facts.initializers.map { $0.address / PageSize.reported }).count
    var details: [Finding.Detail] = []
    for list in [".preinit_array", "_init", ".init_array"] {
      let functions = facts.initializers.filter { $0.list == list }
      if functions.isEmpty { continue }
      details.append(.init(list, .count(functions.count)))
      let names = functions.map(\.name).filter { !$0.isEmpty }
      if !names.isEmpty, names != [list] {
        details.append(.init("\(list), in order", .names(names)))
      }
    }
    return Finding(
      .initializers, "functions that run before main", cost: .always(pages), details: details,
      // Up to three initializers come from the C start files.
      advice: facts.initializers.count > 3
        ? "do their work lazily or in main; an order can place them together" : "")
  }

  static func conformances(_ facts: ConformanceFacts) -> Finding {
    let most = 12
    var details: [Finding.Detail] = [
      .init("records", .count(facts.records)),
      .init("pages of records", .pages(facts.recordPages)),
      .init("pages of their descriptors", .pages(facts.descriptorPages)),
      .init("pages of pointers to protocols", .pages(facts.pointerPages)),
    ]
    let modules = facts.modules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (module, count) in modules.prefix(most) {
      details.append(.init("  in \(module)", .count(count)))
    }
    let rest = modules.dropFirst(most)
    if !rest.isEmpty {
      details.append(
        .init("  in other modules (\(rest.count))", .count(rest.reduce(0) { $0 + $1.value })))
    }
    let unnamed = facts.records - facts.modules.values.reduce(0, +)
    if unnamed > 0 { details.append(.init("  in unknown modules", .count(unnamed))) }
    return Finding(
      .conformances,
      facts.isIndexed
        ? "Swift conformance records, read once, for the program's index of them"
        : "Swift conformance records, read again by each new look-up",
      cost: .upTo(facts.pages), details: details,
      advice: facts.isIndexed
        ? "firstlight launch shows whether a start uses the index, and what it left to the runtime"
        : "firstlight launch shows a start's look-ups and their callers")
  }

  static func debugInfo(_ facts: BinaryFacts) -> Finding? {
    let bytes = facts.sections.filter { !$0.isLoaded && $0.name.begins(with: ".debug_") }
      .reduce(0) { $0 + $1.size }
    guard bytes > 0 else { return nil }
    return Finding(
      .debugInfo, "debug information in the file, not loaded", cost: .disk(bytes),
      advice: "objcopy --only-keep-debug FILE FILE.debug, then strip --strip-debug and "
        + "objcopy --add-gnu-debuglink: saves disk, not start-up time")
  }
}
