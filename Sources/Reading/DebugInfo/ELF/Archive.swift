import CElfutils
import FirstlightModel
import Glibc

/// Reads archives of object files with libelf (ar(5); GNU's form, which Linux uses).
enum Archive {
  private static let magic: StaticString = "!<arch>\n"
  private static let thinMagic: StaticString = "!<thin>\n"

  /// Whether the bytes are an archive, thin ones included.
  static func isOne(_ bytes: Bytes) -> Bool { isThin(bytes) || begins(bytes, magic) }

  private static func isThin(_ bytes: Bytes) -> Bool { begins(bytes, thinMagic) }

  private static func begins(_ bytes: Bytes, _ magic: StaticString) -> Bool {
    bytes.slice(0, 8)?.equals(magic) ?? false
  }

  /// Splits `libx.a(member.o)`; nil if the path names an existing file, or has another form.
  static func split(_ path: String) -> (archive: String, member: String)? {
    guard path.hasSuffix(")"), access(path, F_OK) != 0 else { return nil }
    for place in path.indices where path[place] == "(" && place > path.startIndex {
      let archive = String(path[..<place])
      guard access(archive, F_OK) == 0 else { continue }
      return (archive, String(path[path.index(after: place)...].dropLast()))
    }
    return nil
  }

  /// The failure for an archive without the name of a member.
  static func wantsMember(_ file: MappedFile) -> Failure {
    guard !isThin(file.bytes) else { return thin(file) }
    var example = "MEMBER"
    forEachMember(of: file) { name, _ in
      example = name
      return false
    }
    return Failure(
      .data, "\(file.path): an archive of object files",
      advice: "use a member: '\(file.path)(\(example))'")
  }

  private static func thin(_ file: MappedFile) -> Failure {
    Failure(
      .data, "\(file.path): a thin archive, without the object files themselves",
      advice: "use the object file itself")
  }

  /// The first member with a name, and the number of such members.
  ///
  /// - Parameter path: the name of the member in failures.
  /// - Throws: `.data` if the file is no archive, or has no such member.
  static func member(
    _ wanted: String, of file: MappedFile, path: String
  ) throws(Failure) -> (Bytes, count: Int) {
    guard isOne(file.bytes) else {
      throw Failure(.data, "\(file.path): not an archive, so it has no member \(wanted)")
    }
    guard !isThin(file.bytes) else { throw thin(file) }
    var found: Bytes?
    var count = 0
    forEachMember(of: file) { name, part in
      if name == wanted {
        found = found ?? part
        count += 1
      }
      return true
    }
    guard let found else {
      throw Failure(
        .data, "\(file.path): has no member \(wanted)", advice: "ar t lists its members")
    }
    return (found, count)
  }

  /// Calls `body` with the name and contents of each member, until `body` returns false.
  private static func forEachMember(of file: MappedFile, _ body: (String, Bytes) -> Bool) {
    let bytes = file.bytes
    let memory = UnsafeMutablePointer(mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0, let archive = elf_memory(memory, bytes.count)
    else { return }
    defer { elf_end(archive) }
    // libelf's command to read an archive in memory.
    var command = ELF_C_READ_MMAP
    while command != ELF_C_NULL, let member = elf_begin(-1, command, archive) {
      defer { elf_end(member) }
      guard let header = elf_getarhdr(member) else { return }
      let offset = elf_getbase(member)
      // The tables of symbols and of long names are members too.
      if let name = header.pointee.ar_name.map({ String(cString: $0) }), !name.hasPrefix("/"),
        let part = bytes.slice(UInt64(clamping: offset), UInt64(clamping: header.pointee.ar_size)),
        !body(name, part)
      {
        return
      }
      command = elf_next(member)
    }
  }
}
