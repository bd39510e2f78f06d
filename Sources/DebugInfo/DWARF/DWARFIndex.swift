import CElfutils
import Synchronization

/// The debug information of one image, read through libdw: which unit covers an address, and the units
/// one by one, on all processors.
final class DWARFIndex: Sendable {
  /// Addresses of code; offsets count from its start.
  let code: Range<UInt64>
  let units: [DWARFUnit]
  private let covering: IntervalMap
  /// One for each thread that works at a time.
  private let handles: [DWARFHandle]
  /// Held while the handles are at work.
  private let turn = Mutex<Void>(())
  private let rangeBudget: Int
  /// What couldn't be read, for people.
  let notes: [String]

  /// - Parameters:
  ///   - file: the file with the debug information.
  ///   - code: addresses of code of the image that it belongs to.
  init(_ file: ELFFile, code: Range<UInt64>) {
    self.code = code
    handles = Self.open(file)
    // An honest list of ranges is read once in a sweep, and takes two bytes a range at least.
    rangeBudget = (1 << 16) + file.file.bytes.count * (file.hasCompressedSections ? 8 : 1)
    notes =
      handles.isEmpty ? ["its debug information is damaged or of a kind that libdw can't read"] : []
    guard let first = handles.first else {
      units = []
      covering = IntervalMap([])
      return
    }
    var listed = DWARFUnit.list(first)
    if !file.hasCompressedSections, var skeletons = ModuleSkeletons(first, file) {
      listed = skeletons.hide(listed)
    }
    let units = listed
    let code = code
    let parts = Self.work(handles, units.count, rangeBudget, [(Int, DWARFUnit, [CodeRange])]()) {
      found, index, handle in
      var unit = units[index]
      guard var entry = unit.read(handle), unit.hasRanges || unit.hasLines else { return }
      var ranges: [CodeRange] = []
      func add(_ start: UInt64, _ end: UInt64) {
        if let range = CodeRange(start, end, in: code) { ranges.append(range) }
      }
      if unit.hasRanges {
        handle.forEachRange(of: &entry, add)
      } else if let open = OpenUnit(unit, index: index, handle), !open.lines.isEmpty {
        // Some producers give a unit no ranges of its own: take its functions'. A unit without code has
        // a line table too, for its files' names.
        let scopes = UnitScopes(open, code: code, withInlines: false)
        ranges = scopes.functions.map { CodeRange(start: $0.start, end: $0.end) }
      }
      found.append((index, unit, ranges))
    }
    var ranges: [(unit: Int32, range: CodeRange)] = []
    for (index, unit, found) in parts.joined() {
      listed[index] = unit
      ranges += found.map { (Int32(index), $0) }
    }
    self.units = listed
    // Of units that claim the same code the first answers, and IntervalMap lets the last one win.
    ranges.sort { $0.unit > $1.unit }
    covering = IntervalMap(
      ranges.map { .init(start: $0.range.start, end: $0.range.end, value: $0.unit) })
  }

  /// A piece of code, as offsets from the image's first address of code.
  private struct CodeRange {
    var start: UInt32
    var end: UInt32

    init(start: UInt32, end: UInt32) {
      self.start = start
      self.end = end
    }

    init?(_ start: UInt64, _ end: UInt64, in code: Range<UInt64>) {
      guard code.contains(start), let first = UInt32(exactly: start - code.lowerBound) else {
        return nil
      }
      self.start = first
      self.end = UInt32(clamping: min(end, code.upperBound) - code.lowerBound)
    }
  }

  private static func open(_ file: ELFFile) -> [DWARFHandle] {
    guard let first = DWARFHandle(file.file) else { return [] }
    // Handles share the file's memory, which libdw changes where it inflates a section.
    guard !file.hasCompressedSections else { return [first] }
    return [first] + (1..<Parallel.processors).compactMap { _ in DWARFHandle(file.file) }
  }

  /// An address as an offset from the first address of code; nil if it is elsewhere.
  func offset(_ address: UInt64) -> UInt32? {
    code.contains(address) ? UInt32(exactly: address - code.lowerBound) : nil
  }

  /// Which unit covers the code at `offset`.
  func unit(at offset: UInt32) -> Int? { covering.value(at: offset) }

  /// Opens some units, each once, on all processors. Every thread gathers in a state of its own, which
  /// starts as `initial`; what these hold of libdw's lives as long as the index.
  func sweep<State: Sendable>(
    _ wanted: [Int], _ initial: State, _ visit: @Sendable (inout State, OpenUnit) -> Void
  ) -> [State] {
    turn.withLock { _ in
      Self.work(handles, wanted.count, rangeBudget, initial) { state, number, handle in
        let index = wanted[number]
        guard let unit = OpenUnit(units[index], index: index, handle) else { return }
        visit(&state, unit)
        unit.releaseEntries()
      }
    }
  }

  /// Calls `body` for each of `0..<count`, which stand for units in their order, on a thread for each
  /// handle. To reach a unit libdw goes through all before it: so the first thread goes from the front, the
  /// others from the back, and the first handle never sees the rest.
  private static func work<State: Sendable>(
    _ handles: [DWARFHandle], _ count: Int, _ rangeBudget: Int, _ initial: State,
    _ body: @Sendable (inout State, Int, DWARFHandle) -> Void
  ) -> [State] {
    let batch = 4
    let left = Mutex(0..<count)
    return Parallel.map(min(handles.count, (count + batch - 1) / batch), batch: 1) { thread in
      let handle = handles[thread]
      handle.rangeBudget = rangeBudget
      var state = initial
      while true {
        let part = left.withLock { left in
          let part = thread == 0 ? left.prefix(batch) : left.suffix(batch)
          left = thread == 0 ? part.upperBound..<left.upperBound : left.lowerBound..<part.lowerBound
          return part
        }
        guard !part.isEmpty else { return state }
        for number in part { body(&state, number, handle) }
      }
    }
  }
}
