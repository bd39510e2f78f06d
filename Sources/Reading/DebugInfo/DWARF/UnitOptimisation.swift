import CElfutils

/// The language of an optimised unit. A unit without evidence counts as optimised.
enum UnitOptimisation: Hashable, Sendable {
  case swift
  /// C, C++ and other languages.
  case other

  /// Nil if the unit was not optimised, has no code, or belongs to Firstlight's or a sanitizer's runtime or to the
  /// C library's start files.
  ///
  /// - Parameter scopes: the unit's scopes, including inlined calls.
  init?(_ unit: OpenUnit, _ scopes: UnitScopes) {
    let facts = unit.facts
    if facts.language == DWARFUnit.swift {
      guard facts.isMarkedOptimised else { return nil }
      self = .swift
      return
    }
    guard facts.language != 0, facts.language != DWARFUnit.assembler,
      facts.isMarkedOptimised || Self.mayBeOptimised(unit, scopes)
    else { return nil }
    if Self.isOfRuntime(unit) { return nil }
    self = .other
  }

  /// Whether a unit belongs to Firstlight's or a sanitizer's runtime, or to the C library's start files.
  static func isOfRuntime(_ unit: OpenUnit) -> Bool {
    let file = unit.text(Attribute.name) ?? ""
    return SourceScope.isOfRuntime(file: file) || SourceScope.isStartFile(file)
  }

  /// Tested with gcc 12 and 14 and clang 19 and 21 at -O0, -Og, -O1, -O2, -O3 and -Os with DWARF 2 to 5.
  /// gcc names its options; clang marks optimised functions as listing their calls, from DWARF 4 on and if
  /// it describes functions at all (not with -g1). Beside such marks, inlined functions prove nothing: even
  /// at -O0, compilers inline functions with the attribute `always_inline`, of which libstdc++ 14 has many.
  /// With DWARF 4, older clang gives no evidence (its CGDebugInfo.cpp, `getCallSiteRelatedAttrs`).
  private static func mayBeOptimised(_ unit: OpenUnit, _ scopes: UnitScopes) -> Bool {
    guard unit.facts.hasRanges else { return scopes.hasInlines }
    let producer = unit.text(Attribute.producer) ?? ""
    if producer.begins(with: "GNU ") { return hasOptions(ofGNU: producer) }
    let version = version(of: unit)
    if scopes.describesCalls || !scopes.hasFunctions || version < 4 { return true }
    return scopes.hasInlines && !(producer.containsUTF8("clang version ") && version >= 5)
  }

  /// Whether gcc's options include optimisation, or are not recorded (`-gno-record-gcc-switches`).
  /// The last `-O` counts; without one, gcc does not optimise.
  static func hasOptions(ofGNU producer: String) -> Bool {
    let options = producer.split(at: " ").filter { $0.begins(with: "-") }
    guard !options.isEmpty else { return true }
    return options.last { $0.begins(with: "-O") }.map { $0 != "-O0" } ?? false
  }

  /// The unit's DWARF version; 0 if it cannot be read.
  private static func version(of unit: OpenUnit) -> Int {
    var version: Dwarf_Half = 0
    guard dwarf_cu_info(unit.root.cu, &version, nil, nil, nil, nil, nil, nil) == 0 else { return 0 }
    return Int(version)
  }
}
