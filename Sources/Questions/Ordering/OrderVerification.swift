import FirstlightModel

/// Checks whether a linked binary follows an order.
///
/// Names are in order if their addresses rise. The longest rising subsequence of all names counts,
/// so that one misplaced name is one miss.
package struct OrderVerification: Sendable {
  /// The result for a name.
  package enum Fate: Hashable, Sendable {
    case inOrder
    /// Folded to the address of this earlier name of the order, since the code is identical.
    case folded(into: String)
    /// The binary has no function of this name.
    case absent
    /// The binary has no function of this name, but debug information has inlined copies.
    case inlined
    /// The function lies in this output section, unlike most of the order.
    case otherOutputSection(String)
    /// The input section contains other functions too, so the function does not move alone. A
    /// linker map gives the object file or archive; without a map this is a guess from an adjacent
    /// function outside the order, the `neighbour`.
    case sharesSection(file: String?, neighbour: String?)
    /// None of these: the linker did not get the order, or overruled it.
    case outOfPlace

    var isMiss: Bool {
      switch self {
      case .inOrder, .folded: false
      default: true
      }
    }
  }

  package struct Entry: Sendable {
    package var name: String
    package var address: UInt64?
    package var fate: Fate
  }

  /// Entries in the sequence of the order.
  package var entries: [Entry]
  /// Number of distinct pages with functions of the order.
  package var pages: Int
  /// Number of pages that would suffice without other code between the functions.
  package var minimumPages: Int
  /// Total size of the order's functions, each rounded up to 16 bytes.
  package var bytes: UInt64
  package var pageSize: UInt32
  /// The output section with most of the order; empty if it contains nothing of the order.
  package var outputSection: String

  package var hits: Int { entries.count { !$0.fate.isMiss } }

  /// The number of names that the linker can place: those of functions with an input section of their own. Nil without
  /// a linker map.
  package var movable: Int?

  /// The share of names in order or folded, from 0 to 1.
  package var hitRate: Double {
    entries.isEmpty ? 1 : Double(hits) / Double(entries.count)
  }

  /// - Parameters:
  ///   - names: the order; a repeated name counts once.
  ///   - isInlined: returns which of the missing names have inlined copies.
  /// - Complexity: O(n log n) in the number of symbols.
  package init(
    of names: [String], in binary: LinkedBinary, pageSize: UInt32,
    inlined: ([String]) -> Set<TextBytes> = { _ in [] }
  ) {
    var listed: Set<TextBytes> = []
    let names = names.filter { listed.insert($0).inserted }
    let places = Places(names: names, binary: binary)
    self.pageSize = pageSize
    outputSection = places.mainSection
    let inlined = inlined(names.filter { places.symbols[$0] == nil })
    var takenBy: [UInt64: String] = [:]
    var entries = names.map { name in
      guard let symbol = places.symbols[name]?.first else {
        return Entry(name: name, address: nil, fate: inlined.contains(name) ? .inlined : .absent)
      }
      var entry = Entry(name: name, address: symbol.address, fate: .outOfPlace)
      if let earlier = takenBy[symbol.address] {
        entry.fate = .folded(into: earlier)
      } else if places.section(of: symbol) != places.mainSection {
        entry.fate = .otherOutputSection(places.section(of: symbol))
      }
      takenBy[symbol.address] = takenBy[symbol.address] ?? name
      return entry
    }

    // The other names: in order, or not, with the reason.
    let candidates = entries.indices.filter { entries[$0].fate == .outOfPlace }
    let rising = Set(Self.longestRisingRun(candidates.map { entries[$0].address ?? 0 }))
    for (place, index) in candidates.enumerated() {
      entries[index].fate =
        rising.contains(place) ? .inOrder : places.whyOutOfPlace(entries[index])
    }

    self.entries = entries
    if !binary.inputSections.isEmpty {
      movable = entries.count { $0.address.flatMap(places.functions(beside:)) == 1 }
    }

    var touched: Set<UInt64> = []
    var starts: Set<UInt64> = []
    var sum: UInt64 = 0
    for symbol in names.flatMap({ places.symbols[$0] ?? [] })
    where starts.insert(symbol.address).inserted {
      sum += (max(symbol.size, 1) + 15) / 16 * 16
      let last = symbol.address + max(symbol.size, 1) - 1
      for page in symbol.address / UInt64(pageSize)...last / UInt64(pageSize) {
        touched.insert(page)
      }
    }
    bytes = sum
    pages = touched.count
    minimumPages = Int((sum + UInt64(pageSize) - 1) / UInt64(pageSize))
  }

  /// Indices of a longest rising subsequence (Fredman, "On computing the length of longest
  /// increasing subsequences", 1975).
  static func longestRisingRun(_ values: [UInt64]) -> [Int] {
    // For each length, the index of the smallest value that ends such a subsequence.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      let shorter = ends.partitioningIndex { values[$0] >= value }
      if shorter > 0 { before[place] = ends[shorter - 1] }
      if shorter == ends.count { ends.append(place) } else { ends[shorter] = place }
    }
    var run: [Int] = []
    var next = ends.last ?? -1
    while next >= 0 {
      run.append(next)
      next = before[next]
    }
    return run.reversed()
  }
}

/// The addresses of an order's names.
private struct Places {
  /// For each name of the order in the binary, its functions, lowest address first.
  var symbols: [TextBytes: [TargetSymbol]] = [:]
  var mainSection = ""
  private var sections: [UInt64: String] = [:]
  private let binary: LinkedBinary
  /// One function for each address, sorted, and whether the order has a name for that address.
  private var byAddress: [(symbol: TargetSymbol, isListed: Bool)] = []

  init(names: [String], binary: LinkedBinary) {
    self.binary = binary
    let wanted = Set(texts: names)
    var counts: [TextBytes: Int] = [:]
    var listed: Set<UInt64> = []
    for (symbol, section) in zip(binary.symbols, binary.outputSections) {
      guard wanted.contains(symbol.name) else { continue }
      symbols[symbol.name, default: []].append(symbol)
      sections[symbol.address] = section
      counts[section, default: 0] += 1
      listed.insert(symbol.address)
    }
    for name in symbols.keys { symbols[name]?.sort { $0.address < $1.address } }
    mainSection = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key.text ?? ""
    var seen: Set<UInt64> = []
    byAddress = binary.symbols.sorted { ($0.address, $0.name) < ($1.address, $1.name) }
      .filter { seen.insert($0.address).inserted }
      .map { ($0, listed.contains($0.address)) }
  }

  func section(of symbol: TargetSymbol) -> String { sections[symbol.address] ?? "" }

  func whyOutOfPlace(_ entry: OrderVerification.Entry) -> OrderVerification.Fate {
    guard let address = entry.address else { return .absent }
    let index = firstIndex(notBefore: address)
    if let section = binary.inputSection(at: address) {
      return functions(in: section) > 1
        ? .sharesSection(file: section.file, neighbour: nil) : .outOfPlace
    }
    // Without a map: functions of one section are adjacent, separated only by alignment.
    if index > 0 {
      let before = byAddress[index - 1]
      if !before.isListed, address - min(before.symbol.address + before.symbol.size, address) < 16 {
        return .sharesSection(file: nil, neighbour: before.symbol.name)
      }
    }
    if index + 1 < byAddress.count {
      let after = byAddress[index + 1]
      let end = address + byAddress[index].symbol.size
      if !after.isListed, after.symbol.address - min(end, after.symbol.address) < 16 {
        return .sharesSection(file: nil, neighbour: after.symbol.name)
      }
    }
    return .outOfPlace
  }

  /// The number of functions in the input section of one, itself included; nil if no map has that section.
  func functions(beside address: UInt64) -> Int? {
    binary.inputSection(at: address).map(functions(in:))
  }

  private func functions(in section: InputSection) -> Int {
    firstIndex(notBefore: section.addresses.upperBound)
      - firstIndex(notBefore: section.addresses.lowerBound)
  }

  private func firstIndex(notBefore address: UInt64) -> Int {
    byAddress.partitioningIndex { $0.symbol.address >= address }
  }
}
