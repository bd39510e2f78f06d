import CElfutils
import Glibc

/// The sections of debug information as libdw sees them: inflated.
struct DebugSections {
  private(set) var info = Bytes.empty
  private(set) var abbreviations = Bytes.empty
  private(set) var lines = Bytes.empty
  private(set) var strings = Bytes.empty
  private(set) var lineStrings = Bytes.empty
  private(set) var addresses = Bytes.empty
  private(set) var ranges = Bytes.empty
  private(set) var rangeLists = Bytes.empty

  /// - Parameters:
  ///   - elf: a file that `dwarf_begin_elf` has read. The bytes live as long as it does.
  ///   - isSplit: whether it is a `.dwo` file: libdw reads either the sections whose names end so or the others.
  init(_ elf: OpaquePointer, isSplit: Bool) {
    var names = 0
    guard elf_getshdrstrndx(elf, &names) == 0 else { return }
    var section: OpaquePointer?
    while let next = elf_nextscn(elf, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type != SHT_NOBITS,
        header.sh_flags & UInt64(SHF_GROUP) == 0,
        let name = elf_strptr(elf, names, Int(header.sh_name))
      else { continue }
      for (path, names) in isSplit ? Self.splitNames : Self.names
      where self[keyPath: path].isEmpty && names.contains(where: { strcmp(name, $0) == 0 }) {
        guard let data = elf_rawdata(next, nil)?.pointee, let memory = data.d_buf else { continue }
        self[keyPath: path] = Bytes(base: UnsafeRawPointer(memory), count: data.d_size)
      }
    }
  }

  private typealias Place = (WritableKeyPath<Self, Bytes>, names: [String])

  private nonisolated(unsafe) static let places: [(WritableKeyPath<Self, Bytes>, name: String)] = [
    (\.info, "info"), (\.abbreviations, "abbrev"), (\.lines, "line"), (\.strings, "str"),
    (\.lineStrings, "line_str"), (\.addresses, "addr"), (\.ranges, "ranges"),
    (\.rangeLists, "rnglists"),
  ]

  /// Where each goes, and its names: plain, and of GNU's older compression.
  private nonisolated(unsafe) static let names: [Place] = places.map {
    ($0, [".debug_\($1)", ".zdebug_\($1)"])
  }

  private nonisolated(unsafe) static let splitNames: [Place] = places.map {
    ($0, [".debug_\($1).dwo"])
  }
}
