import FirstlightModel

extension OrderingInput {
  /// The code of one build that a profile's runs called.
  ///
  /// The shared body of merged functions is a separate unit after the function. Functions that the
  /// target's linker folded form one unit; so do all functions with the same name in several object
  /// files, since a linker moves them together.
  ///
  /// - Parameters:
  ///   - build: index into the profile's builds.
  ///   - target: the binary to be linked; nil takes names and sizes from the recorded build.
  ///   - pageSize: bytes; decides which local names are worth moving.
  /// - Complexity: O(calls + symbols).
  package init(
    of build: Int, in profile: Profile, target: TargetSymbols? = nil,
    pageSize: UInt32 = UInt32(PageSize.reported)
  ) {
    var builder = OrderingInputBuilder(
      recorded: profile.builds[build], target: target, pageSize: UInt64(pageSize))
    builder.addTraces(of: Int32(build), in: profile)
    builder.addUntraced()
    builder.leaveOutLocals()
    self = builder.code
  }
}

private struct OrderingInputBuilder {
  let recorded: RecordedBuild
  let target: TargetSymbols?
  let pageSize: UInt64
  var code: OrderingInput

  /// Identifies the unit of functions.
  private enum Key: Hashable {
    case function(Int)
    case name(String)
    case address(UInt64)
  }
  private var unitOf: [Key: Int32] = [:]
  /// Units by function; empty for a function without name.
  private var unitsOf: [[Int32]?]
  /// Units with a name of several local functions in the target.
  private var locals: [Int32: (copies: Int, called: Int)] = [:]
  /// See `blocks`.
  private let recordedBlocks: [TextBytes: [Function]]

  init(recorded: RecordedBuild, target: TargetSymbols?, pageSize: UInt64) {
    self.recorded = recorded
    self.target = target
    self.pageSize = pageSize
    recordedBlocks = Self.blocks(recorded.build)
    unitsOf = Array(repeating: nil, count: recorded.build.guarded.count)
    code = OrderingInput(buildID: recorded.build.buildID, path: recorded.build.path)
    code.runs = recorded.runs
    if target != nil { code.names = NameReport() }
  }

  mutating func addTraces(of build: Int32, in profile: Profile) {
    // Times of each process's first calls of this build, to find where a forked child's trace joins.
    var times: [TextBytes: [Double]] = [:]
    for process in profile.processes {
      if process.isTraceLeftOut {
        // These calls' builds are unknown; in a profile of one build they all belong to it.
        if profile.builds.count == 1 { code.processes += 1 }
        continue
      }
      var trace: [Int32] = []
      var own: [Double] = []
      var seen: Set<Int32> = []
      var called = false
      for call in process.calls where call.build == build {
        guard let function = recorded.build.function(ofGuard: call.guardIndex) else { continue }
        called = true
        for unit in units(of: function) where seen.insert(unit).inserted {
          trace.append(unit)
          own.append(process.startedAt + Double(call.time) / 1e9)
        }
      }
      guard called else { continue }
      code.processes += 1
      let inherited = process.forkedFrom.flatMap { times[process.run + $0] }.map { parent in
        parent.partitioningIndex { $0 > process.startedAt }
      }
      times[process.run + process.id] = own
      guard !trace.isEmpty else { continue }
      code.traces.append(trace)
      code.firstRanks.append(Int32(inherited ?? 0))
    }
  }

  /// Adds functions whose calling runs all have their traces left out.
  mutating func addUntraced() {
    let traced = code.units.count
    let called = recorded.coverage.indices.filter { recorded.coverage[$0].isCalled }
      .sorted {
        let (a, b) = (recorded.coverage[$0].runs, recorded.coverage[$1].runs)
        return a != b ? a > b : $0 < $1
      }
    for guardIndex in called {
      guard let function = recorded.build.function(ofGuard: UInt32(guardIndex)) else { continue }
      _ = units(of: function)
    }
    code.untraced = (traced..<code.units.count).map(Int32.init)
  }

  /// The units of a function: its own, and the shared body if it was merged.
  private mutating func units(of function: Int) -> [Int32] {
    if let units = unitsOf[function] { return units }
    code.calledFunctions += 1
    let entry = recorded.build.functions[function]
    if entry.name.isEmpty { code.namelessFunctions += 1 }
    var units: [Int32] = []
    let body = entry.guardIndex.flatMap { recorded.mergedBodies[$0] }
    if let target {
      if let unit = targetUnit(entry, of: target) { units.append(unit) }
      if let body, let unit = unit(of: target.find(body).symbols, in: target) { units.append(unit) }
    } else {
      if let unit = recordedUnit(function) { units.append(unit) }
      if let body { units.append(recordedBody(body)) }
    }
    unitsOf[function] = units
    return units
  }

  // MARK: without a target

  private mutating func recordedUnit(_ function: Int) -> Int32? {
    let entry = recorded.build.functions[function]
    guard !entry.name.isEmpty else { return nil }
    let blocks = recordedBlocks[entry.name] ?? []
    return unit(.function(function)) {
      CodeUnit(
        names: [entry.name] + entry.aliases + blocks.map(\.name),
        size: blocks.reduce(entry.size) { $0 &+ $1.size }, address: entry.address)
    }
  }

  private mutating func recordedBody(_ name: String) -> Int32 {
    unit(.name(name)) { CodeUnit(names: [name], size: 0, address: nil) }
  }

  /// The parts of functions that a linker moves one by one, by name of the function.
  private static func blocks(_ build: Build) -> [TextBytes: [Function]] {
    let parts = build.functions.filter {
      $0.isUnguarded && CloneSuffix($0.name).part?.begins(with: ".__part") == true
    }
    return Dictionary(grouping: parts) { TextBytes(CloneSuffix.base(of: $0.name)) }.mapValues {
      $0.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
    }
  }

  // MARK: with a target

  private mutating func targetUnit(_ entry: Function, of target: TargetSymbols) -> Int32? {
    guard !entry.name.isEmpty else { return nil }
    let file = entry.file == "<compiler-generated>" ? nil : entry.file
    var found = target.find(entry.name, file: file)
    for alias in entry.aliases where found.symbols.isEmpty {
      let other = target.find(alias)
      if other.match == .exact { found = other }
    }
    switch found.match {
    case .exact: code.names?.exact += 1
    case .cloneSuffix: code.names?.byCloneSuffix += 1
    case .ambiguous: code.names?.ambiguous.append(entry.name)
    case .gone: code.names?.gone.append(entry.name)
    }
    return unit(of: found.symbols, in: target)
  }

  private mutating func unit(of symbols: [TargetSymbol], in target: TargetSymbols) -> Int32? {
    guard let first = symbols.first else { return nil }
    guard symbols.count == 1 else {
      let unit = unit(.name(first.name)) {
        CodeUnit(
          names: [first.name], size: symbols.reduce(0) { $0 &+ $1.size }, address: first.address)
      }
      locals[unit, default: (symbols.count, 0)].called += 1
      return unit
    }
    let key = Key.address(first.address)
    if let known = unitOf[key] {
      if !code.units[Int(known)].names.contains(first.name) {
        code.names?.folded += 1
        code.units[Int(known)].names.append(first.name)
      }
      return known
    }
    let blocks = target.blocks(of: first.name)
    return unit(key) {
      CodeUnit(
        names: [first.name] + blocks.map(\.name),
        size: blocks.reduce(first.size) { $0 &+ $1.size }, address: first.address)
    }
  }

  private mutating func unit(_ key: Key, make: () -> CodeUnit) -> Int32 {
    if let unit = unitOf[key] { return unit }
    let unit = Int32(code.units.count)
    unitOf[key] = unit
    code.units.append(make())
    return unit
  }

  // MARK: names of several functions

  /// Removes names whose uncalled copies have more than one page of bytes for each called copy: the
  /// linker moves all copies, while a called copy that does not move costs at most a page.
  mutating func leaveOutLocals() {
    let left = Set(
      locals.filter { unit, local in
        let size = code.units[Int(unit)].size
        let called = min(local.called, local.copies)
        let uncalledBytes = size / UInt64(local.copies) * UInt64(local.copies - called)
        return uncalledBytes > UInt64(called) * pageSize
      }.keys)
    guard !left.isEmpty else { return }
    code.names?.leftOutLocals = left.sorted().map { code.units[Int($0)].names[0] }
    var newIndex = [Int32](repeating: -1, count: code.units.count)
    var kept: [CodeUnit] = []
    for (unit, value) in code.units.enumerated() where !left.contains(Int32(unit)) {
      newIndex[unit] = Int32(kept.count)
      kept.append(value)
    }
    code.units = kept
    code.untraced = code.untraced.map { newIndex[Int($0)] }.filter { $0 >= 0 }
    let traces = code.traces.map { trace in trace.map { newIndex[Int($0)] }.filter { $0 >= 0 } }
    code.firstRanks = zip(code.firstRanks, traces).filter { !$0.1.isEmpty }.map(\.0)
    code.traces = traces.filter { !$0.isEmpty }
  }
}
