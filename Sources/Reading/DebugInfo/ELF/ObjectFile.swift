import FirstlightModel
import Glibc

/// Opens what a path names, object files and members of archives too.
///
/// An object file is read as if a linker had placed it by itself: see `ObjectLayout`.
struct ObjectFile {
  let elf: ELFFile
  /// What of its debug information couldn't be read, for people.
  private(set) var problems: [String] = []

  /// Opens a linked file, an object file, or `ARCHIVE(MEMBER)` as linkers write it. A file of exactly this
  /// name goes first.
  ///
  /// Fails as `MappedFile` and `ELFFile`.
  init(path: String) throws(Failure) {
    guard let (archive, member) = Archive.split(path) else {
      let file = try MappedFile(path: path)
      if Archive.isOne(file.bytes) { throw Archive.wantsMember(file) }
      try self.init(file, file.bytes, path: path, isMember: false)
      return
    }
    let file = try MappedFile(path: archive)
    let (part, count) = try Archive.member(member, of: file, path: path)
    try self.init(file, part, path: path, isMember: true)
    if count > 1 {
      problems.append("the archive has \(count) members of this name; this is the first")
    }
  }

  private init(
    _ file: MappedFile, _ part: Bytes, path: String, isMember: Bool
  ) throws(Failure) {
    // ET_REL (System V ABI, chapter 4).
    guard isMember || part.load(16, as: UInt16.self) == 1 else {
      elf = try ELFFile(file)
      return
    }
    let copy = try ELFFile(
      MappedFile(copyOf: part, of: file, path: path), isPart: true)
    guard copy.isRelocatable else {
      elf = copy
      return
    }
    let stored = copy.sections.reduce(0) { $0 &+ copy.contents($1).count }
    // Else a small file could ask for as much work as if it were large.
    guard stored <= part.count else {
      throw Failure(
        .data, "\(path): damaged ELF file: its sections overlap", advice: "copy or build it again")
    }
    let inflated = try InflatedObject.inflate(copy)
    let layout = ObjectLayout(inflated)
    layout.place()
    var relocations = ObjectRelocations(try ELFFile(inflated.file, isPart: true))
    relocations.apply()
    elf = relocations.elf
    problems = relocations.problems
  }
}
