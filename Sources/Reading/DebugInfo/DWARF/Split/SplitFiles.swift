import CElfutils
import Glibc

/// Opens the `.dwo` files of one program for one handle, each when one of its units is first
/// needed. They stay open, since texts that were read point into them.
final class SplitFiles {
  /// Units by the number that they share with their skeletons; nil for an omitted file.
  private typealias File = (handle: DWARFHandle, units: [UInt64: DWARFUnit])

  private let program: ELFFile
  private let sections: DebugSections
  /// Nil if no file is opened.
  private let search: DebugFileSearch?
  private let folder: String
  private var files: [String: File?] = [:]
  /// Split units by the skeleton's offset.
  private var units: [UInt64: SplitUnit?] = [:]
  /// File names of units that were not found, as the program has them.
  private(set) var missing: Set<String> = []
  /// Total size of the open files.
  private(set) var size = 0

  init(_ program: ELFFile, _ sections: DebugSections, _ search: DebugFileSearch?) {
    self.program = program
    self.sections = sections
    self.search = search
    folder = DebugFileSearch.folder(of: program.path)
  }

  /// The part of a unit in a `.dwo` file; nil if it was not found.
  ///
  /// - Parameters:
  ///   - offset: the skeleton's offset.
  ///   - skeleton: the skeleton's first entry.
  func unit(_ offset: UInt64, _ skeleton: inout Dwarf_Die) -> SplitUnit? {
    if let known = units[offset] { return known }
    guard let name = Self.name(&skeleton), let number = Self.number(&skeleton) else { return nil }
    let unit = open(name, number, &skeleton)
    units[offset] = .some(unit)
    if unit == nil { missing.insert(name) }
    return unit
  }

  private func open(_ name: String, _ number: UInt64, _ skeleton: inout Dwarf_Die) -> SplitUnit? {
    guard let search else { return nil }
    let directory = UnitLines.compilationDirectory(&skeleton).map { String(cString: $0) }
    for path in search.splitFiles(name, compiledIn: directory ?? "", beside: folder) {
      guard let file = file(path), let facts = file.units[number] else { continue }
      var root = Dwarf_Die()
      guard dwarf_offdie(file.handle.dwarf, facts.entry, &root) != nil, root.addr != nil else {
        continue
      }
      return SplitUnit(facts, root: root, file.handle, skeleton: &skeleton, sections)
    }
    return nil
  }

  private func file(_ path: String) -> File? {
    if let known = files[path] { return known }
    let file = read(path)
    files[path] = .some(file)
    return file
  }

  private func read(_ path: String) -> File? {
    guard let elf = DebugFileSearch.open(path, isPart: true), elf.machine == program.machine,
      elf.isSplit
    else { return nil }
    size += elf.file.bytes.count
    guard let (handle, units) = DWARFHandle.ofPart(elf) else { return nil }
    var numbered: [UInt64: DWARFUnit] = [:]
    for var unit in units {
      guard var root = unit.read(handle), let number = Self.number(&root) else { continue }
      if numbered[number] == nil { numbered[number] = unit }
    }
    return (handle, numbered)
  }

  /// The user's note about files that were not found; nil if all were.
  static func note(_ missing: Set<String>, of program: ELFFile) -> String? {
    guard let first = missing.min() else { return nil }
    let package = program.path + ".dwp"
    let advice =
      access(package, R_OK) == 0
      ? "libdw \(String(cString: dwfl_version(nil))) can't read packages such as \(package): "
        + "keep the .dwo files"
      : "keep the .dwo files at their original path, or beside the program"
    let files = missing.count == 1 ? first : "\(missing.count) files such as \(first)"
    return "its debug information is incomplete: \(files) "
      + "of this build not found; \(advice)"
  }

  /// A skeleton's name for the file.
  private static func name(_ skeleton: inout Dwarf_Die) -> String? {
    var attribute = Dwarf_Attribute()
    guard
      dwarf_attr(&skeleton, Attribute.splitName, &attribute) != nil
        || dwarf_attr(&skeleton, Attribute.gnuSplitName, &attribute) != nil
    else { return nil }
    return dwarf_formstring(&attribute).map { String(cString: $0) }
  }

  /// The number that a skeleton and its split unit share: in the header, before DWARF 5 an attribute.
  private static func number(_ unit: inout Dwarf_Die) -> UInt64? {
    var attribute = Dwarf_Attribute()
    var number: UInt64 = 0
    if dwarf_attr(&unit, Attribute.gnuSplitID, &attribute) != nil,
      dwarf_formudata(&attribute, &number) == 0
    {
      return number
    }
    var version: Dwarf_Half = 0
    return dwarf_cu_info(unit.cu, &version, nil, nil, nil, &number, nil, nil) == 0 && version >= 5
      ? number : nil
  }
}

/// A text of libdw with its hash, computed once by the thread that found it.
struct HashedText: Hashable, @unchecked Sendable {
  // The text belongs to a handle that the index keeps open.
  private let base: UnsafePointer<CChar>
  private let count: Int
  private let hash: Int

  init(_ text: UnsafePointer<CChar>, count: Int) {
    base = text
    self.count = count
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(start: text, count: count))
    hash = hasher.finalize()
  }

  var string: String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  static func == (one: Self, other: Self) -> Bool {
    one.hash == other.hash && one.count == other.count
      && memcmp(one.base, other.base, one.count) == 0
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
