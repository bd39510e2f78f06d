import CElfutils
import Glibc

/// The sections of debug information as libdw reads them: inflated.
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
  ///   - elf: a file that `dwarf_begin_elf` has read. It must outlive these bytes.
  ///   - isSplit: whether it is a `.dwo` file: libdw reads only sections with that suffix, or only the others.
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

  /// Each section's field, with its plain name and that of GNU's older compression.
  private nonisolated(unsafe) static let names: [Place] = places.map {
    ($0, [".debug_\($1)", ".zdebug_\($1)"])
  }

  private nonisolated(unsafe) static let splitNames: [Place] = places.map {
    ($0, [".debug_\($1).dwo"])
  }
}

/// The compressions of debug sections that the installed libelf supports (`ch_type`; generic ABI,
/// "Section Compression"). Version 0.188 supports only zlib.
enum SectionCompression {
  private static let zlib: UInt32 = 1
  private static let zstd: UInt32 = 2

  /// The reason why a file's debug information cannot be read, for the user; nil if its compression is known.
  static func problem(of file: ELFFile) -> String? {
    for section in file.sections where section.isCompressed && section.isDebug {
      let kind = file.contents(section).load(0, as: UInt32.self) ?? zlib
      guard kind != zlib, kind != zstd || !canInflateZstd else { continue }
      let name = kind == zstd ? "zstd" : "compression \(kind)"
      let version = dwfl_version(nil).map { String(cString: $0) } ?? ""
      return "its debug information is ignored: the installed elfutils \(version) cannot inflate "
        + "\(name); recompress it with objcopy --compress-debug-sections=zlib"
    }
    return nil
  }

  /// Found by a trial, since it also depends on the build options of libelf.
  static let canInflateZstd: Bool = {
    // A frame with one byte (RFC 8878), after the section's header: kind, size 1, alignment 1.
    let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 0x61]
    let header: [UInt8] =
      [2, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0]
    let bytes = TinyELF.file(
      section: ".debug_line", flags: ELFSection.compressedFlag, header + frame)
    let memory = UnsafeMutablePointer(mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0, let elf = elf_memory(memory, bytes.count) else {
      return false
    }
    defer { elf_end(elf) }
    guard let section = elf_getscn(elf, 1) else { return false }
    return elf_compress(section, 0, 0) >= 0
  }()
}

/// The claimed inflated size of compressed debug sections. Both forms begin with it: the header of
/// `SHF_COMPRESSED` (System V ABI, chapter 4), and "ZLIB" before a big-endian size in `.zdebug_` sections.
enum InflatedSize {
  /// Whether the claimed size is within the limits for libdw.
  static func isAllowed(_ file: ELFFile) -> Bool {
    var stored = 0
    var claimed = UInt64(0)
    for section in file.sections {
      let bytes = file.contents(section)
      var size: UInt64 = 0
      if section.isCompressed {
        size = bytes.load(8, as: UInt64.self) ?? 0
      } else if section.name.hasPrefix(".zdebug_"), bytes.load(0, as: UInt32.self) == zlib {
        size = bytes.load(4, as: UInt64.self).map(UInt64.init(bigEndian:)) ?? 0
      } else {
        continue
      }
      stored += bytes.count
      let (sum, overflow) = claimed.addingReportingOverflow(size)
      claimed = overflow ? .max : sum
    }
    return claimed <= UInt64(DebugInfoLimits.inflationBase + stored * DebugInfoLimits.inflation)
  }

  /// "ZLIB", as a little-endian number.
  private static let zlib: UInt32 = 0x4249_4c5a
}
