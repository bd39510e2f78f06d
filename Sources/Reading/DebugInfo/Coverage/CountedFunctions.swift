import FirstlightModel
import SystemSupport

/// The functions that an image counts. A counter's identity is the index of its record in the image, which files of
/// counters repeat.
package struct CountedFunctions: Sendable {
  /// What the recorder of counters sees: a function for each record, without a file if the compiler wrote no place for
  /// it; without a guard, functions of the source that the optimizer removed.
  package private(set) var build: Build
  /// Records by the hashes of their function's name and of its code.
  private var records: [Key: [Int]] = [:]

  private struct Key: Hashable {
    var name: UInt64
    var code: UInt64
  }

  /// The records of a function, by its name as the compiler has it.
  package func records(name: String, code: UInt64) -> [Int] {
    records[Key(name: NameHash.of(name.utf8), code: code)] ?? []
  }

  /// - Parameter build: of the image, without functions.
  init(_ elf: ELFFile, build: Build) {
    let mapping = CoverageMapping(elf)
    let names = Self.names(elf)
    self.build = build
    // Since LLVM 18, whose mapping has version 7, records have bitmaps of conditions.
    let size = mapping.version >= 6 ? 64 : 48
    var texts: [String] = []
    var places: [CoverageMapping.Function?] = []
    var counted: Set<UInt64> = []
    if let section = elf.section("__llvm_prf_data") {
      let bytes = elf.contents(section)
      for at in stride(from: 0, through: bytes.count - size, by: size) {
        guard let name = bytes.load(at, as: UInt64.self),
          let code = bytes.load(at + 8, as: UInt64.self)
        else { break }
        records[Key(name: name, code: code), default: []].append(texts.count)
        counted.insert(name)
        texts.append(names[name] ?? "")
        let place = mapping.functions[name]
        places.append(place?.hash == code && names[name] != nil ? place : nil)
      }
    }
    let count = texts.count
    for (name, place) in mapping.functions where !counted.contains(name) {
      guard let text = names[name] else { continue }
      texts.append(text)
      places.append(place)
    }
    var functions = Self.functions(texts, places)
    for index in 0..<count { functions[index].code = .guarded(UInt32(index)) }
    functions[count...].sort {
      ($0.file ?? "", $0.line, $0.name) < ($1.file ?? "", $1.line, $1.name)
    }
    self.build.functions = functions
    self.build.guardCount = count
  }

  private static func functions(
    _ names: [String], _ places: [CoverageMapping.Function?]
  ) -> [Function] {
    let names = names.map(CounterName.init)
    let demangled = Demangler.demangle(names.map(\.linkerName))
    return names.indices.map { index in
      let name = names[index]
      return Function(
        name: name.linkerName, demangledName: demangled[index],
        module: Demangler.swiftModule(of: name.linkerName, demangled: demangled[index]),
        file: places[index]?.file, line: places[index]?.line ?? 0,
        isLocal: !name.file.isEmpty)
    }
  }

  /// The names of an image's functions by their hash: parts, each with its size, and its size compressed or 0.
  private static func names(_ elf: ELFFile) -> [UInt64: String] {
    guard let section = elf.section("__llvm_prf_names") else { return [:] }
    let bytes = elf.contents(section)
    var names: [UInt64: String] = [:]
    var cursor = ByteCursor(bytes)
    while cursor.remaining > 0 {
      let (plain, packed) = (cursor.uleb(), cursor.uleb())
      let size = packed > 0 ? packed : plain
      guard !cursor.failed, let part = bytes.slice(UInt64(cursor.position), size) else { break }
      cursor.skip(part.count)
      var text = Array(UnsafeRawBufferPointer(start: part.base, count: part.count))
      if packed > 0 {
        guard plain <= 256 << 20, let whole = try? Deflate.inflate(text, limit: Int(plain)) else {
          break
        }
        text = whole
      }
      for name in text.split(separator: 1) {
        names[NameHash.of(name)] = String(decoding: name, as: UTF8.self)
      }
      // Zeros between the parts of objects.
      while bytes.load(cursor.position, as: UInt8.self) == 0 { cursor.skip(1) }
    }
    return names
  }
}

extension DebugImage {
  /// The functions that the image's compiler counts; nil if it counts none.
  package func countedFunctions(recordedPath: String) throws(Failure) -> CountedFunctions? {
    guard hasCounters else { return nil }
    let counted = CountedFunctions(
      elf,
      build: Build(
        buildID: recordedID, path: recordedPath, kind: kind, architecture: architecture,
        hasSymbols: hasSymbols, hasDebugInfo: true, functions: [], entryGuards: [], guardCount: 0,
        recorder: .counters))
    try checkUnchanged()
    return counted
  }
}
