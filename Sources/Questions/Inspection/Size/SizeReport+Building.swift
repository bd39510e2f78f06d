import FirstlightModel

extension SizeReport {
  /// - Parameters:
  ///   - names: the readable name of each symbol.
  ///   - owners: the module of each symbol.
  ///   - calls: whether each symbol's function was called; nil: not watched.
  init(
    _ contents: BinaryContents, names: [String], owners: [SymbolOwner], calls: [Bool?]
  ) {
    path = contents.path
    fileSize = contents.fileSize
    hasLocalSymbols = contents.hasLocalSymbols
    isWatched = calls.contains { $0 != nil }
    let bytes = Self.fileBytes(contents)
    sections = Self.parts(
      zip(contents.sections, bytes).map { ($0.name, $1) }
        + [("headers and gaps", contents.fileSize - bytes.reduce(0, +))])
    var unowned = bytes
    var modules: [SymbolOwner: Module] = [:]
    for (index, item) in contents.items.enumerated() {
      let size = min(item.size, unowned[item.section])
      unowned[item.section] -= size
      let owner = owners[index]
      var module = modules[owner] ?? Module(name: owner.module, owner: owner.owner)
      if item.isCode { module.code += size } else { module.data += size }
      if item.isCode {
        module.functions += 1
        if let isCalled = calls[index] {
          module.watchedBytes += size
          module.calledBytes += isCalled ? size : 0
          module.calledFunctions += isCalled ? 1 : 0
        }
      }
      modules[owner] = module
    }
    Self.addCallers(contents, names, owners, to: &modules)
    self.modules = modules.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    let rest = contents.fileSize - self.modules.reduce(0) { $0 + $1.bytes } - unowned.reduce(0, +)
    others = Self.parts(
      zip(contents.sections, unowned).map { (SectionUse.of($0).rawValue, $1) }
        + [(SectionUse.headers.rawValue, rest)])
    specialized = Self.specialized(contents, names)
    symbols = contents.items.indices.sorted {
      (contents.items[$1].size, names[$0]) < (contents.items[$0].size, names[$1])
    }.map {
      Symbol(
        linkerName: contents.items[$0].name, name: names[$0], module: owners[$0].module,
        section: contents.sections[contents.items[$0].section].name, bytes: contents.items[$0].size,
        isCalled: calls[$0])
    }
  }

  /// The bytes of each section in the file; where sections overlap, each byte counts once.
  private static func fileBytes(_ contents: BinaryContents) -> [UInt64] {
    var bytes = [UInt64](repeating: 0, count: contents.sections.count)
    var end: UInt64 = 0
    for index in contents.sections.indices.sorted(by: {
      contents.sections[$0].offset < contents.sections[$1].offset
    }) {
      let section = contents.sections[index]
      let start = max(section.offset, end)
      let (sum, overflow) = section.offset.addingReportingOverflow(section.size)
      let stop = overflow ? contents.fileSize : min(sum, contents.fileSize)
      guard start < stop else { continue }
      bytes[index] = stop - start
      end = stop
    }
    return bytes
  }

  /// Adds parts of one name, largest first, without empty ones.
  private static func parts(_ parts: [(name: String, bytes: UInt64)]) -> [Part] {
    Dictionary(parts.map { ($0.name, $0.bytes) }, uniquingKeysWith: +)
      .map { Part(name: $0, bytes: $1) }.filter { $0.bytes > 0 }
      .sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }

  private static func addCallers(
    _ contents: BinaryContents, _ names: [String], _ owners: [SymbolOwner],
    to modules: inout [SymbolOwner: Module]
  ) {
    var callers: [SymbolOwner: [TextBytes: Caller]] = [:]
    for call in contents.calls
    where owners[call.from].owner == .own && owners[call.to].owner != .own {
      let file = contents.items[call.from].file ?? owners[call.from].module
      let new = Caller(file: file, calls: 0, callee: names[call.to])
      callers[owners[call.to], default: [:]][file, default: new].calls += 1
    }
    for (owner, files) in callers {
      modules[owner]?.callers = files.values
        .sorted { ($1.calls, $0.file) < ($0.calls, $1.file) }
    }
  }

  /// How the Swift demangler begins the names of specializations.
  private static let marks = [
    "generic specialization <", "generic partial specialization <",
    "generic not re-abstracted specialization <", "generic pre-specialization <",
  ]

  private static func specialized(_ contents: BinaryContents, _ names: [String]) -> [Specialized] {
    var found: [TextBytes: Specialized] = [:]
    for (index, item) in contents.items.enumerated() where item.isCode {
      guard let key = original(of: names[index]) else { continue }
      var copies = found[key] ?? Specialized(name: key, copies: 0, bytes: 0)
      copies.copies += 1
      copies.bytes += item.size
      found[key] = copies
    }
    return found.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }

  /// The generic function of a specialization; nil for any other name.
  private static func original(of name: String) -> String? {
    guard name.begins(with: "generic "), marks.contains(where: { name.begins(with: $0) }),
      let range = name.firstRange(ofUTF8: "> of ")
    else { return nil }
    // A specialization may be specialized again.
    let rest = String(name[range.upperBound...])
    return original(of: rest) ?? rest
  }
}

/// The purpose of a section whose bytes no symbol covers.
enum SectionUse: String, Sendable {
  case unwinding = "unwind tables"
  case linking = "symbols and relocations"
  case debugging = "debug information"
  case swift = "Swift metadata without a symbol"
  case code = "code without a symbol"
  case data = "data without a symbol"
  case headers = "headers and gaps"

  static func of(_ section: BinarySection) -> SectionUse {
    let name = section.name
    func begins(_ starts: String...) -> Bool { starts.contains { name.begins(with: $0) } }
    if begins(".eh_frame", ".gcc_except_table", ".ARM.ex", ".sframe") { return .unwinding }
    if begins(".debug", ".zdebug", ".gdb_index", ".gnu_debug") { return .debugging }
    if begins(
      ".symtab", ".strtab", ".shstrtab", ".dynsym", ".dynstr", ".gnu.hash", ".hash", ".gnu.version",
      ".rela", ".rel.", ".relr", ".dynamic", ".plt", ".got")
    {
      return .linking
    }
    if begins("swift5_", ".swift", "swift6_") { return .swift }
    return section.isExecutable ? .code : .data
  }
}
