import CElfutils

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
