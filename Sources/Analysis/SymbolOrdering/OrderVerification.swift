import FirstlightModel

/// Whether a linked binary follows an order.
///
/// Names lie in order if their addresses rise: of all names the longest rising run counts, so that one
/// name at a wrong place is one miss and not many.
package struct OrderVerification: Sendable {
  /// What became of a name.
  package enum Fate: Hashable, Sendable {
    case inOrder
    /// At the address of this earlier name of the order: identical code is there once.
    case folded(into: String)
    /// No function of that name is in the binary.
    case absent
    /// No function of that name either, but the debug information knows copies inlined into others.
    case inlined
    /// Most of the order lies in another output section than this.
    case otherOutputSection(String)
    /// Its input section holds other functions, so that it does not move alone. With a linker's map
    /// this is the object file or archive; without one it is a guess from a function that lies right
    /// beside it and is not in the order, which stands here instead.
    case sharesSection(file: String?, neighbour: String?)
    /// None of these: the linker was not given the order, or overruled it.
    case outOfPlace

    package var isMiss: Bool {
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

  /// In the order of the order.
  package var entries: [Entry]
  /// Distinct pages that the order's functions lie on.
  package var pages: Int
  /// Pages they would need if nothing else lay between them.
  package var minimumPages: Int
  /// Bytes of the order's functions, each rounded up to 16.
  package var bytes: UInt64
  package var pageSize: UInt32
  /// The output section that most of the order lies in; empty if nothing of it is there.
  package var outputSection: String

  package var hits: Int { entries.count { !$0.fate.isMiss } }

  /// The share of names in order or folded, from 0 to 1.
  package var hitRate: Double {
    entries.isEmpty ? 1 : Double(hits) / Double(entries.count)
  }

  /// - Parameters:
  ///   - names: the order; a name again counts once.
  ///   - isInlined: of the names that are not in the binary, those with inlined copies.
  /// - Complexity: O(n log n) in the number of symbols.
  package init(
    of names: [String], in binary: LinkedBinary, pageSize: UInt32,
    inlined: ([String]) -> Set<String> = { _ in [] }
  ) {
    var listed: Set<String> = []
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

    // The others: in order, or not and why.
    let candidates = entries.indices.filter { entries[$0].fate == .outOfPlace }
    let rising = Set(Self.longestRisingRun(candidates.map { entries[$0].address ?? 0 }))
    for (place, index) in candidates.enumerated() {
      entries[index].fate =
        rising.contains(place) ? .inOrder : places.whyOutOfPlace(entries[index])
    }

    self.entries = entries

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

  /// Places of a longest run of rising values (Fredman, "On computing the length of longest
  /// increasing subsequences", 1975).
  static func longestRisingRun(_ values: [UInt64]) -> [Int] {
    // For each length the place of the smallest value that ends a run so long.
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

/// Where the names of an order lie.
private struct Places {
  /// For each name of the order that is in the binary its functions, lowest address first.
  var symbols: [String: [TargetSymbol]] = [:]
  var mainSection = ""
  private var sections: [UInt64: String] = [:]
  private let binary: LinkedBinary
  /// All functions by address, one each, and whether the order names one there.
  private var byAddress: [(symbol: TargetSymbol, isListed: Bool)] = []

  init(names: [String], binary: LinkedBinary) {
    self.binary = binary
    let wanted = Set(names)
    var counts: [String: Int] = [:]
    var listed: Set<UInt64> = []
    for (symbol, section) in zip(binary.symbols, binary.outputSections) {
      guard wanted.contains(symbol.name) else { continue }
      symbols[symbol.name, default: []].append(symbol)
      sections[symbol.address] = section
      counts[section, default: 0] += 1
      listed.insert(symbol.address)
    }
    for name in symbols.keys { symbols[name]?.sort { $0.address < $1.address } }
    mainSection = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
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
      let others =
        firstIndex(notBefore: section.addresses.upperBound)
        - firstIndex(notBefore: section.addresses.lowerBound)
      return others > 1 ? .sharesSection(file: section.file, neighbour: nil) : .outOfPlace
    }
    // Without a map: functions of one section lie side by side, at the distance of an alignment.
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

  private func firstIndex(notBefore address: UInt64) -> Int {
    byAddress.partitioningIndex { $0.symbol.address >= address }
  }
}
