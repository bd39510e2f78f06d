import FirstlightModel

/// Finds places in an image by a function or section name and an offset: `main+0x1c`, `.text.f+0x4`.
struct NamedPlaces: Sendable {
  private struct Place {
    var address: UInt64
    var size: UInt64
    /// Number of functions, at different addresses, with this name.
    var count = 1
  }

  private var places: [TextBytes: Place] = [:]

  init(_ image: DebugImage) {
    let symbols = image.symbols
    for index in symbols.entries.indices {
      let symbol = symbols.symbol(index)
      guard var place = places[symbol.name] else {
        places[symbol.name] = Place(address: symbol.address, size: symbol.size)
        continue
      }
      if place.address != symbol.address { place.count += 1 }
      place.size = max(place.size, symbol.size)
      places[symbol.name] = place
    }
    var sections: [TextBytes: Place] = [:]
    for section in image.elf.sections where section.hasCode {
      sections[section.name, default: Place(address: section.address, size: section.size, count: 0)]
        .count += 1
    }
    places.merge(sections) { function, _ in function }
  }

  /// The link-time address of a place.
  /// - Throws: `.data`, without the file's name, if the name is unknown or ambiguous, or if the
  ///   offset is outside.
  func address(of name: String, offset: UInt64) throws(Failure) -> UInt64 {
    guard let place = places[name] else {
      throw Failure(.data, "no function or code section is named \(name)")
    }
    guard place.count == 1 else {
      throw Failure(
        .data, "\(name) is the name of \(place.count) places", advice: "use an address")
    }
    // A size of 0 means that the symbol table has none.
    guard place.size == 0 || offset < place.size else {
      throw Failure(
        .data, "\(name) has 0x\(String(place.size, radix: 16)) bytes: the offset is beyond its end")
    }
    let (address, overflow) = place.address.addingReportingOverflow(offset)
    guard !overflow else { throw Failure(.data, "the offset is beyond all addresses") }
    return address
  }
}

extension DebugImage {
  /// The link-time address of a place, from the linker name of a function or the name of a code
  /// section, and an offset.
  /// - Throws: `.data`, without the file's name, if the name is unknown or ambiguous, or if the
  ///   offset is outside.
  package func address(of name: String, offset: UInt64) throws(Failure) -> UInt64 {
    try lazyPlaces.value { NamedPlaces(self) }.address(of: name, offset: offset)
  }
}
