import FirstlightModel

/// Gathers the inline records of an image (DWARF 5, section 3.3.8).
struct InlinedFunctions {
  /// What is known of one function while units are read.
  private struct Copies {
    var hosts: Set<UInt32> = []
    var hasUnwatchedHost = false
    var guards: Set<UInt32> = []
  }

  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// The functions of `source` that have copies in others, sorted by name and place.
  func functions(of build: Build, _ source: SourceScope) -> [InlinedFunction] {
    let dwarf = image.dwarf
    var entries: [UInt32: UInt32] = [:]
    for (function, entryGuard) in zip(build.functions, build.entryGuards) {
      if let address = function.address, let offset = dwarf.offset(address) {
        entries[offset] = entryGuard
      }
    }
    let guards = guardsByUnit(build, dwarf)
    let hosts = entries
    let units = dwarf.units.indices.filter { dwarf.units[$0].isCode }
    dwarf.prepare(units)
    let parts = Parallel.map(units.count, batch: 8) { number in
      copies(in: units[number], hosts: hosts, guards: guards[units[number]] ?? [], dwarf)
    }
    var all: [Int: Copies] = [:]
    for part in parts {
      for (origin, copies) in part {
        all[origin, default: Copies()].hosts.formUnion(copies.hosts)
        all[origin]?.guards.formUnion(copies.guards)
        if copies.hasUnwatchedHost { all[origin]?.hasUnwatchedHost = true }
      }
    }
    return describe(all, source, dwarf)
  }

  /// By the place of the copied function's entry.
  private func copies(
    in unit: Int, hosts: [UInt32: UInt32], guards: [(offset: UInt32, index: UInt32)],
    _ dwarf: DWARFIndex
  ) -> [Int: Copies] {
    let table = dwarf.scopeTable(unit)
    var starts: [Int32: [UInt32]] = [:]
    for function in table.functions { starts[function.scope, default: []].append(function.start) }
    // The function that holds a scope: a parent is always an earlier scope.
    var outermost = [Int32](repeating: -1, count: table.scopes.count)
    var copies: [Int: Copies] = [:]
    for (index, scope) in table.scopes.enumerated() {
      guard scope.parent >= 0, scope.parent < index else {
        outermost[index] = Int32(index)
        continue
      }
      let host = outermost[Int(scope.parent)]
      outermost[index] = host
      // A function with a cold part has several starts, one of which has the guard.
      if let entry = (starts[host] ?? []).lazy.compactMap({ hosts[$0] }).first {
        copies[scope.origin, default: Copies()].hosts.insert(entry)
      } else {
        copies[scope.origin, default: Copies()].hasUnwatchedHost = true
      }
    }
    for (offset, index) in guards {
      table.forEachScope(at: offset) { scope, isFunction in
        if !isFunction { copies[scope.origin, default: Copies()].guards.insert(index) }
      }
    }
    return copies
  }

  /// Guards that are no entries, by unit: those of level `edge`.
  private func guardsByUnit(
    _ build: Build, _ dwarf: DWARFIndex
  ) -> [Int: [(offset: UInt32, index: UInt32)]] {
    guard build.recorder == .guards, build.entryGuards.count < build.guardCount else { return [:] }
    var guards: [Int: [(offset: UInt32, index: UInt32)]] = [:]
    for (index, entry) in image.pcTable.enumerated() where !entry.isFunctionEntry {
      guard let offset = dwarf.offset(entry.address), let unit = dwarf.unit(at: offset) else {
        continue
      }
      guards[unit, default: []].append((offset, UInt32(index)))
    }
    return guards
  }

  private func describe(
    _ all: [Int: Copies], _ source: SourceScope, _ dwarf: DWARFIndex
  ) -> [InlinedFunction] {
    let origins = all.keys.sorted()
    let declarations = Parallel.map(origins.count, batch: 256) { dwarf.declaration(origins[$0]) }
    let names = declarations.map { $0.bestName?.text ?? "" }
    let demangled = Demangler.demangle(names)
    var paths: [UInt64: String?] = [:]
    var found: [InlinedFunction] = []
    // One function has an entry in each unit that copied it.
    var places: [String: Int] = [:]
    for (index, origin) in origins.enumerated() {
      let declaration = declarations[index]
      guard !names[index].isEmpty, let copies = all[origin] else { continue }
      var path: String?
      if let file = declaration.file, declaration.line > 0 {
        let key = UInt64(file.unit) << 32 | file.number
        if paths[key] == nil {
          paths[key] = dwarf.lineTable(file.unit).files.plainPath(file.number)
        }
        path = paths[key] ?? nil
      }
      if path == "<compiler-generated>" { path = nil }
      let isSwift = Demangler.isSwift(names[index])
      let module =
        isSwift ? Demangler.swiftModule(of: names[index], demangled: demangled[index]) : ""
      guard source.contains(module: module, isSwift: isSwift, file: path) else { continue }
      let identity = isSwift ? names[index] : "\(names[index]) \(path ?? "")"
      if let known = places[identity] {
        found[known].hosts = Array(Set(found[known].hosts).union(copies.hosts)).sorted()
        found[known].guards = Array(Set(found[known].guards).union(copies.guards)).sorted()
        if copies.hasUnwatchedHost { found[known].hasUnwatchedHost = true }
      } else {
        places[identity] = found.count
        found.append(
          InlinedFunction(
            name: names[index], demangledName: demangled[index], module: module, file: path,
            line: path == nil ? 0 : Int(clamping: declaration.line), hosts: copies.hosts.sorted(),
            hasUnwatchedHost: copies.hasUnwatchedHost, guards: copies.guards.sorted()))
      }
    }
    return found.sorted { ($0.name, $0.file ?? "", $0.line) < ($1.name, $1.file ?? "", $1.line) }
  }
}
