import CElfutils
import Glibc

/// A function's name and place, from its entry and the entries that it refers to
/// (`DW_AT_abstract_origin`, `DW_AT_specification`); the nearest entry takes precedence.
struct Declaration {
  /// The linkage name, or the plain one, as in C. Nil if it was not requested.
  let name: UnsafePointer<CChar>?
  /// As libdw gives it, see `NumberedPaths`, and the directory of the unit that numbers it.
  private(set) var file: UnsafePointer<CChar>?
  private(set) var directory: UnsafePointer<CChar>?
  private(set) var line: UInt64 = 0
  /// Whether the compiler marks the function as artificial (`DW_AT_artificial`).
  let isArtificial: Bool
  /// Whether it is a lambda's code.
  let isLambda: Bool

  init(of entry: Dwarf_Die, in unit: OpenUnit, withName: Bool = true) {
    var entry = entry
    var attribute = Dwarf_Attribute()
    name = withName ? Self.name(of: &entry) : nil
    isArtificial = Self.isArtificial(&entry)
    isLambda = isArtificial && Self.isLambda(&entry)
    if dwarf_attr_integrate(&entry, Attribute.declarationLine, &attribute) != nil {
      dwarf_formudata(&attribute, &line)
    }
    var number: Dwarf_Word = 0
    guard dwarf_attr_integrate(&entry, Attribute.declarationFile, &attribute) != nil,
      dwarf_formudata(&attribute, &number) == 0
    else { return }
    if attribute.cu == unit.root.cu {
      file = unit.lines.file(number)
      directory = unit.lines.compilationDirectory
    } else {
      // The declaration belongs to another unit, with its own files.
      var other = Dwarf_Die()
      guard dwarf_cu_die(attribute.cu, &other, nil, nil, nil, nil, nil, nil) != nil else { return }
      let lines = UnitLines(&other, withRows: false, unit.handle)
      file = lines.file(number)
      directory = lines.compilationDirectory
    }
  }

  private static func isArtificial(_ entry: inout Dwarf_Die) -> Bool {
    var attribute = Dwarf_Attribute()
    var isSo = false
    guard dwarf_attr_integrate(&entry, Attribute.artificial, &attribute) != nil else {
      return false
    }
    return dwarf_formflag(&attribute, &isSo) == 0 && isSo
  }

  /// Whether a C++ compiler generated the function. Swift's compiler also marks default arguments, which users write.
  func isGenerated(in unit: OpenUnit) -> Bool {
    isArtificial && !isLambda && unit.facts.language != DWARFUnit.swift
  }

  /// Whether an artificial function is a lambda's code: compilers generate no other call operators.
  private static func isLambda(_ entry: inout Dwarf_Die) -> Bool {
    var attribute = Dwarf_Attribute()
    guard dwarf_attr_integrate(&entry, Attribute.name, &attribute) != nil,
      let name = dwarf_formstring(&attribute)
    else { return false }
    return strncmp(name, "operator()", 10) == 0
  }

  /// The linkage name or the plain one of an entry, or of an entry it refers to.
  static func name(of entry: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    var attribute = Dwarf_Attribute()
    if dwarf_attr_integrate(&entry, Attribute.linkageName, &attribute) != nil
      || dwarf_attr_integrate(&entry, Attribute.mipsLinkageName, &attribute) != nil
      || dwarf_attr_integrate(&entry, Attribute.name, &attribute) != nil
    {
      return dwarf_formstring(&attribute)
    }
    return nil
  }
}

/// The DWARF constants for libdw, in the types of its functions.
enum Tag {
  static let subprogram = CInt(DW_TAG_subprogram)
  static let inlinedSubroutine = CInt(DW_TAG_inlined_subroutine)
}
