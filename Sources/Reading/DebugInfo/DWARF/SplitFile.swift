import CElfutils
import FirstlightModel
import Glibc

/// The file with a split unit's entries, `.dwo`, which libdw looks for and opens itself when it is asked for the unit.
enum SplitFile {
  /// Whether libdw would open regular files only: it would wait for the writer of a pipe for ever.
  static func isRegular(of skeleton: inout Dwarf_Die, _ handle: DWARFHandle) -> Bool {
    places(of: &skeleton, handle).allSatisfy { place in
      var status = stat()
      return stat(place, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// A skeleton's name for the file.
  static func name(of skeleton: inout Dwarf_Die) -> String {
    text(&skeleton, Attribute.splitName) ?? text(&skeleton, Attribute.gnuSplitName) ?? ""
  }

  /// The places where libdw looks (libdw_find_split_unit.c, libdw_findcu.c of elfutils), newer versions also for a
  /// package.
  private static func places(of skeleton: inout Dwarf_Die, _ handle: DWARFHandle) -> [String] {
    let name = name(of: &skeleton)
    let folder = handle.path.map(DebugFileSearch.parent)
    let package = handle.path.map { ["\($0).dwp"] } ?? []
    if name.begins(with: "/") { return [name] + package }
    let compilation = text(&skeleton, Attribute.compilationFolder)
    let compiled = compilation.flatMap { path in
      path.begins(with: "/") ? path : folder.map { "\($0)/\(path)" }
    }
    return [folder, compiled].compactMap { $0.map { "\($0)/\(name)" } } + package
  }

  private static func text(_ entry: inout Dwarf_Die, _ name: UInt32) -> String? {
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&entry, name, &attribute) != nil, let text = dwarf_formstring(&attribute)
    else { return nil }
    return String(cString: text)
  }
}
