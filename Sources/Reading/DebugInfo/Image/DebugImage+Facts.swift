import FirstlightModel

extension DebugImage {
  /// How the file is loaded and started.
  ///
  /// Fails with `.data` if it is an object file, which nothing loads, or if its section headers are gone,
  /// without which its parts are unknown.
  package func facts() throws(Failure) -> BinaryFacts {
    guard !isObject else {
      throw Failure(
        .data, "\(path): an object file, not an executable or shared library",
        advice: "use the executable or shared library it was linked into")
    }
    guard elf.sections.contains(where: \.isAllocated) else {
      throw Failure(
        .data, "\(path): has no section headers",
        advice: "use the file as the linker wrote it")
    }
    let interpreter = elf.segments.first { $0.type == ELFSegment.interpreter }
      .flatMap { elf.file.bytes.slice($0.offset, $0.fileSize) }
      .flatMap { $0.cString(0)?.text }
    let facts = BinaryFacts(
      path: path, buildID: buildID, kind: kind, architecture: architecture,
      fileSize: UInt64(elf.file.bytes.count), isPositionIndependent: elf.isPositionIndependent,
      interpreter: interpreter,
      sections: elf.sections.filter { $0.type != 0 }.map {
        BinarySection(
          name: $0.name, address: $0.address, offset: $0.offset, size: $0.size,
          isLoaded: $0.isAllocated, isWritable: $0.flags & 1 != 0, isExecutable: $0.isExecutable,
          isInFile: $0.hasContents)
      },
      dynamic: DynamicReader.facts(elf), relocations: RelocationReader.facts(elf),
      initializers: InitializerReader.initializers(self), guardCount: guardCount,
      functionStarts: functionStarts)
    try checkUnchanged()
    return facts
  }

  private var functionStarts: [UInt64] {
    var starts: [UInt64] = []
    for entry in symbols.entries where entry.address != starts.last { starts.append(entry.address) }
    return starts
  }
}
