import CElfutils

/// The debug information on an image's functions, gathered in one pass over its units: where they are
/// declared, and what was copied into which.
struct CodeSurvey: Sendable {
  /// Where a function is declared, or where the line table puts its first instruction.
  struct Place: Sendable {
    /// Index into `paths`; -1: no file, or one that the compiler made up.
    var path: Int32 = -1
    var line: Int32 = 0
    /// Index into `names`: what debug information calls a function without symbol; -1: nothing.
    var name: Int32 = -1
    /// Whether the code is the compiler's: debug information covers it without naming a line.
    var isCompilerGenerated = false
  }

  /// A function that has copies in others.
  struct Origin: Sendable {
    /// Index into `names`.
    var name: Int32
    /// Index into `paths`; -1: unknown.
    var path: Int32
    var line: Int32
  }

  var names: [String] = []
  /// Without `.` and `..`.
  var paths: [String] = []
  /// The offsets that were asked for, rising, each once, and their places.
  var offsets: [UInt32] = []
  var places: [Place] = []
  var origins: [Origin] = []
  /// Which origin was copied into which function, by where that function is entered.
  var copies: [(origin: Int32, host: UInt32)] = []
  /// Origins whose calls the compiler recorded as inlined, and whose copies all have no code.
  var vanished: [Int32] = []
  /// Offsets of functions that their unit has no entry for, though it has for others: what is left of one
  /// whose body is another's, and whose calls may go there.
  var undescribed: [UInt32] = []
  /// In a copy of which origin a probe lies, by index into the probes.
  var probed: [(origin: Int32, probe: UInt32)] = []
  /// All starts of functions whose code has several pieces, the entry first, by the entry.
  var pieces: [UInt32: [UInt32]] = [:]
  /// Of which languages units were compiled with optimisation.
  var optimised: Set<UnitOptimisation> = []
  /// Whether any unit is Swift's.
  var hasSwift = false

  /// Where the function at an offset is declared; nil if the offset was not asked for.
  func place(at offset: UInt32) -> Place? {
    let index = offsets.partitioningIndex { $0 > offset } - 1
    return index >= 0 && offsets[index] == offset ? places[index] : nil
  }
}

/// Addresses, by their places in a list, grouped by the unit that covers them; a counting sort.
struct AddressesByUnit: Sendable {
  private let order: [Int32]
  /// Where each unit's begin in `order`, after those of no unit.
  private let starts: [Int32]

  /// - Parameter units: for each address its unit; -1: none covers it.
  init(_ units: [Int32], unitCount: Int) {
    var starts = [Int32](repeating: 0, count: unitCount + 2)
    for unit in units { starts[Int(unit) + 1] += 1 }
    var sum: Int32 = 0
    for index in starts.indices {
      let count = starts[index]
      starts[index] = sum
      sum += count
    }
    var next = starts
    var order = [Int32](repeating: 0, count: units.count)
    for (index, unit) in units.enumerated() {
      order[Int(next[Int(unit) + 1])] = Int32(index)
      next[Int(unit) + 1] += 1
    }
    self.order = order
    self.starts = starts
  }

  /// The places of a unit's addresses, rising.
  subscript(unit: Int) -> ArraySlice<Int32> {
    order[Int(starts[unit + 1])..<Int(starts[unit + 2])]
  }
}

/// The language of a unit that was compiled with optimisation. A unit that gives no evidence counts as
/// optimised.
enum UnitOptimisation: Hashable, Sendable {
  case swift
  /// C, C++ and others.
  case other

  /// Nil: it was not optimised, has no code, or is of a runtime that we or sanitizers add.
  ///
  /// - Parameter scopes: the unit's, with what is inlined.
  init?(_ unit: OpenUnit, _ scopes: UnitScopes) {
    let facts = unit.facts
    if facts.language == DWARFUnit.swift {
      guard facts.isMarkedOptimised else { return nil }
      self = .swift
      return
    }
    guard facts.language != 0, facts.language != DWARFUnit.assembler,
      facts.isMarkedOptimised || Self.mayBeOptimised(unit, scopes),
      !SourceScope.isOfRuntime(file: Self.text(of: unit, Attribute.name) ?? "")
    else { return nil }
    self = .other
  }

  /// Seen with gcc 12 and 14 and clang 19 and 21 at -O0, -Og, -O1, -O2, -O3 and -Os with DWARF 2 to 5: gcc
  /// names its options; clang marks functions that it optimises as listing their calls, from DWARF 4 on and
  /// if it describes functions at all (not with -g1). Where these exist, inlined functions prove nothing: at
  /// -O0, too, compilers inline those with the attribute `always_inline`, of which libstdc++ 14 has many.
  /// With DWARF 4, older clang gives no evidence (its CGDebugInfo.cpp, `getCallSiteRelatedAttrs`).
  private static func mayBeOptimised(_ unit: OpenUnit, _ scopes: UnitScopes) -> Bool {
    guard unit.facts.hasRanges else { return scopes.hasInlines }
    let producer = text(of: unit, Attribute.producer) ?? ""
    if producer.hasPrefix("GNU ") { return hasOptions(ofGNU: producer) }
    let version = version(of: unit)
    if scopes.describesCalls || !scopes.hasFunctions || version < 4 { return true }
    return scopes.hasInlines && !(producer.contains("clang version ") && version >= 5)
  }

  /// Whether the options that gcc names ask for optimisation, or it names none
  /// (`-gno-record-gcc-switches`). The last one counts; without any it does not optimise.
  static func hasOptions(ofGNU producer: String) -> Bool {
    let options = producer.split(separator: " ").filter { $0.hasPrefix("-") }
    guard !options.isEmpty else { return true }
    return options.last { $0.hasPrefix("-O") }.map { $0 != "-O0" } ?? false
  }

  private static func text(of unit: OpenUnit, _ attribute: UInt32) -> String? {
    var root = unit.root
    var found = Dwarf_Attribute()
    guard dwarf_attr(&root, attribute, &found) != nil, let text = dwarf_formstring(&found) else {
      return nil
    }
    return String(cString: text)
  }

  /// Of DWARF; 0 if it cannot be read.
  private static func version(of unit: OpenUnit) -> Int {
    var version: Dwarf_Half = 0
    guard dwarf_cu_info(unit.root.cu, &version, nil, nil, nil, nil, nil, nil) == 0 else { return 0 }
    return Int(version)
  }
}
