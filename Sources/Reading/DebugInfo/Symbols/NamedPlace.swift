import FirstlightModel

/// A place in an image with a function's or section's name, from which offsets count: `main+0x1c`, `.text.f+0x4`.
private struct NamedPlace {
  let address: UInt64
  /// 0 if the symbol table has none.
  let size: UInt64
  /// Number of places, at different addresses, with this name.
  let count: Int

  /// Nil if no function and no section of code has the name.
  init?(_ name: String, in image: DebugImage) {
    let functions = image.symbols.indices(named: name).map { image.symbols.entries[$0] }
    if let first = functions.first {
      address = first.address
      size = functions.reduce(0) { max($0, $1.size) }
      count = 1 + functions.count { $0.address != first.address }
      return
    }
    let sections = image.elf.sections.filter { $0.hasCode && $0.name == name }
    guard let first = sections.first else { return nil }
    (address, size, count) = (first.address, first.size, sections.count)
  }
}

extension DebugImage {
  /// The link-time address of a place, from the linker name of a function or the name of a code
  /// section, and an offset.
  /// - Throws: `.data`, without the file's name, if the name is unknown or ambiguous, or if the
  ///   offset is outside.
  package func address(of name: String, offset: UInt64) throws(Failure) -> UInt64 {
    guard let place = NamedPlace(name, in: self) else {
      throw Failure(.data, "no function or code section is named \(name)")
    }
    guard place.count == 1 else {
      throw Failure(
        .data, "\(name) is the name of \(place.count) places", advice: "use an address")
    }
    guard place.size == 0 || offset < place.size else {
      throw Failure(
        .data, "\(name) has 0x\(String(place.size, radix: 16)) bytes: the offset is beyond its end")
    }
    let (address, overflow) = place.address.addingReportingOverflow(offset)
    guard !overflow else { throw Failure(.data, "the offset is beyond all addresses") }
    return address
  }
}
