import FirstlightModel

extension DebugImage {
  /// The type and the protocol of each conformance of a program with Swift's static standard library; nil for
  /// other programs.
  ///
  /// Throws `.data` if a record or the runtime is not as in Swift 6.0 to 6.3.
  package func conformancePairs() throws(Failure) -> ConformancePairs? {
    guard kind == .executable, let records = elf.section("swift5_protocol_conformances"),
      hasSymbol(named: "swift_conformsToProtocol")
    else { return nil }
    let pairs = try ConformanceReader(elf, records).pairs()
    try checkUnchanged()
    return pairs
  }

  /// Throws `.data` unless the program has the functions of Swift's runtime that a table of conformances calls.
  package func checkConformanceRuntime() throws(Failure) {
    let needed = [
      "swift_conformsToProtocolCommon", "swift_getWitnessTable", "swift_checkMetadataState",
      "swift_enumerateAllMetadataSections",
    ]
    for name in needed where !hasSymbol(named: name) {
      throw Failure(.data, "\(path): its Swift runtime has no \(name)")
    }
  }
}

/// Reads protocol conformance descriptors as the runtime finds them once the program is loaded at its link-time
/// address (Swift's docs/ABI/TypeMetadata.rst; include/swift/ABI/Metadata.h and MetadataValues.h).
private struct ConformanceReader {
  private let elf: ELFFile
  private let records: ELFSection
  /// The words that relocations write; nil for those that depend on other images.
  private var relocated: [UInt64: UInt64?] = [:]

  init(_ elf: ELFFile, _ records: ELFSection) {
    (self.elf, self.records) = (elf, records)
    for section in elf.sections where section.isAllocated && section.type == ELFSection.rela {
      read(elf.contents(section))
    }
  }

  private mutating func read(_ relocations: Bytes) {
    var cursor = ByteCursor(relocations)
    while cursor.remaining >= 24 {
      let (place, info, addend) = (cursor.u64(), cursor.u64(), cursor.u64())
      let kind = RelocationKind.name(UInt32(truncatingIfNeeded: info), machine: elf.machine)
      let isRelative = kind == RelocationKind.relative(machine: elf.machine)
      relocated[place] = .some(isRelative ? addend : nil)
    }
  }

  func pairs() throws(Failure) -> ConformancePairs {
    var pairs: [UInt64] = []
    pairs.reserveCapacity(Int(records.size / 4))
    for number in 0..<(records.size / 4) {
      guard let pair = pair(at: records.address &+ 4 &* number) else {
        throw Failure(
          .data, "\(elf.path): conformance record \(number) is not as in Swift 6.0 to 6.3")
      }
      pairs.append(pair)
    }
    return ConformancePairs(pairs)
  }

  /// The bits of a descriptor's flags that Swift 6.3 does not define.
  private static let unknownFlags: UInt32 = 7 | 7 << 21

  /// Kinds of context descriptors.
  private static let (aProtocol, types): (UInt32, Set<UInt32>) = (3, [3, 16, 17, 18])

  private func pair(at record: UInt64) -> UInt64? {
    guard let descriptor = relative(at: record), descriptor != 0,
      let flags = load(descriptor &+ 12, as: UInt32.self), flags & Self.unknownFlags == 0,
      let type = target(of: descriptor &+ 4, isIndirect: flags >> 3 & 7),
      let conformed = load(descriptor, as: UInt32.self),
      let proto = target(of: descriptor, isIndirect: conformed & 1),
      isContext(type, of: Self.types), isContext(proto, of: [Self.aProtocol]),
      let high = offset(type), let low = offset(proto)
    else { return nil }
    return high << 32 | low
  }

  /// The address to which a relative reference leads; 0 if it leads nowhere.
  private func target(of place: UInt64, isIndirect: UInt32) -> UInt64? {
    guard isIndirect <= 1, let reference = relative(at: place) else { return nil }
    guard isIndirect == 1, reference != 0 else { return reference }
    return word(at: reference & ~1)
  }

  private func relative(at place: UInt64) -> UInt64? {
    load(place, as: Int32.self).map { $0 == 0 ? 0 : place &+ UInt64(bitPattern: Int64($0)) }
  }

  private func word(at place: UInt64) -> UInt64? {
    relocated[place] ?? load(place, as: UInt64.self)
  }

  private func isContext(_ address: UInt64, of kinds: Set<UInt32>) -> Bool {
    guard address != 0 else { return true }
    guard let flags = load(address, as: UInt32.self) else { return false }
    return kinds.contains(flags & 0x1f) && flags & 0xff00 == 0
  }

  private func offset(_ address: UInt64) -> UInt64? {
    guard address != 0 else { return 0 }
    return Int32(exactly: Int64(bitPattern: address &- records.address)).map {
      UInt64(UInt32(bitPattern: $0))
    }
  }

  private func load<T: BitwiseCopyable>(_ address: UInt64, as type: T.Type) -> T? {
    elf.fileOffset(of: address).flatMap { Int(exactly: $0) }.flatMap {
      elf.file.bytes.load($0, as: type)
    }
  }
}
