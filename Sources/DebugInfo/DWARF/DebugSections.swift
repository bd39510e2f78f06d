import CElfutils
import Glibc

/// The sections of debug information as libdw sees them: inflated.
struct DebugSections {
  private(set) var info = Bytes.empty
  private(set) var abbreviations = Bytes.empty
  private(set) var lines = Bytes.empty
  private(set) var strings = Bytes.empty
  private(set) var lineStrings = Bytes.empty

  /// - Parameter elf: a file that `dwarf_begin_elf` has read. The bytes live as long as it does.
  init(_ elf: OpaquePointer) {
    var names = 0
    guard elf_getshdrstrndx(elf, &names) == 0 else { return }
    var section: OpaquePointer?
    while let next = elf_nextscn(elf, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type != SHT_NOBITS,
        header.sh_flags & UInt64(SHF_ALLOC) == 0,
        let name = elf_strptr(elf, names, Int(header.sh_name))
      else { continue }
      for (path, plain, compressed) in Self.names
      where self[keyPath: path].isEmpty
        && (strcmp(name, plain) == 0 || strcmp(name, compressed) == 0)
      {
        guard let data = elf_rawdata(next, nil)?.pointee, let memory = data.d_buf else { continue }
        self[keyPath: path] = Bytes(base: UnsafeRawPointer(memory), count: data.d_size)
      }
    }
  }

  /// Where each goes, and its names: plain, and of GNU's older compression.
  private nonisolated(unsafe) static let names: [(WritableKeyPath<Self, Bytes>, String, String)] = [
    (\.info, ".debug_info", ".zdebug_info"),
    (\.abbreviations, ".debug_abbrev", ".zdebug_abbrev"),
    (\.lines, ".debug_line", ".zdebug_line"), (\.strings, ".debug_str", ".zdebug_str"),
    (\.lineStrings, ".debug_line_str", ".zdebug_line_str"),
  ]
}
