import CElfutils
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// The debug information of one image, read through libdw: finds the unit of an address, and visits
/// units on all processors.
final class DWARFIndex: Sendable {
  /// Addresses of code; offsets are relative to its start.
  let code: Range<UInt64>
  let units: [DWARFUnit]
  private let covering: IntervalMap
  /// One handle for each concurrent thread.
  private let handles: [DWARFHandle]
  /// Locked while the handles are in use.
  private let turn = Mutex(())
  private let file: ELFFile
  /// The reason why nothing could be read, for the user.
  private let refusal: String?

  /// - Parameters:
  ///   - file: the file with the debug information.
  ///   - code: the code addresses of the image that the debug information describes.
  ///   - search: possible places of further files; nil if none is opened.
  init(_ file: ELFFile, code: Range<UInt64>, _ search: DebugFileSearch?) {
    self.code = code
    self.file = file
    do throws(Refusal) {
      let contents = try Self.read(file, code, search)
      handles = contents.handles
      units = contents.units
      covering = contents.covering
      refusal = nil
    } catch {
      handles = []
      units = []
      covering = IntervalMap([])
      refusal = error.reason
    }
  }

  /// The reason why a file's debug information is not read.
  private struct Refusal: Error {
    let reason: String
  }

  private typealias Contents = (handles: [DWARFHandle], units: [DWARFUnit], covering: IntervalMap)
  private typealias FirstEntries = [(index: Int, unit: DWARFUnit, ranges: [CodeRange])]

  private static func read(
    _ file: ELFFile, _ code: Range<UInt64>, _ search: DebugFileSearch?
  ) throws(Refusal) -> Contents {
    if let problem = SectionCompression.problem(of: file) { throw Refusal(reason: problem) }
    var handles = open(file, search)
    guard let first = handles.first else {
      throw Refusal(reason: "its debug information is damaged or not supported by libdw")
    }
    var units = DWARFUnit.list(first)
    var ranges: [(unit: Int32, range: CodeRange)] = []
    let listed = units
    let none: FirstEntries = []
    let parts = work(handles, units.count, none) { found, index, handle in
      var unit = listed[index]
      guard var entry = unit.read(handle), unit.hasRanges || unit.hasLines else { return }
      var ranges: [CodeRange] = []
      if unit.hasRanges {
        handle.forEachRange(of: &entry) { start, end in
          if let range = CodeRange(start, end, in: code) { ranges.append(range) }
        }
      }
      found.append((index, unit, ranges))
    }
    for (index, unit, found) in parts.joined() {
      units[index] = unit
      ranges += found.map { (Int32(index), $0) }
    }
    if search != nil, units.contains(where: { $0.isSkeleton && $0.hasRanges }) {
      handles = handles.map { DWARFHandle(reopening: file) ?? $0 }
    }
    ranges += functionRanges(handles, units, code)
    // If several units claim the same code the first counts, and in IntervalMap the last one wins.
    ranges.sort { $0.unit > $1.unit }
    let covering = IntervalMap(
      ranges.map { .init(start: $0.range.start, end: $0.range.end, value: $0.unit) })
    return (handles, units, covering)
  }

  /// The code of units without ranges, as some producers write them: the ranges of their functions.
  /// A unit without code also has a line table, for its file names.
  private static func functionRanges(
    _ handles: [DWARFHandle], _ units: [DWARFUnit], _ code: Range<UInt64>
  ) -> [(unit: Int32, range: CodeRange)] {
    let wanted = units.indices.filter { units[$0].hasLines && !units[$0].hasRanges }
    let none: [(unit: Int32, range: CodeRange)] = []
    let parts = work(handles, wanted.count, none) { found, number, handle in
      let index = wanted[number]
      guard let open = OpenUnit(units[index], index: index, handle), !open.lines.isEmpty else {
        return
      }
      found += UnitScopes(open, code: code, withInlines: false).functions.map {
        (Int32(index), CodeRange(start: $0.start, end: $0.end))
      }
    }
    return parts.flatMap { $0 }
  }

  /// Unreadable parts so far, described for the user.
  var notes: [String] {
    if let refusal { return [refusal] }
    let problems = turn.withLock { _ in
      handles.reduce(into: Set<TextBytes>()) { $0.formUnion($1.problems) }
    }
    return problems.sorted().map { "its debug information is incomplete: \($0) are left out" }
      + splitNotes
  }

  private var splitNotes: [String] {
    let missing = handles.reduce(into: Set<TextBytes>()) { $0.formUnion($1.missingSplitFiles) }
    guard let first = missing.min() else { return [] }
    let files = missing.count == 1 ? first.text : "\(missing.count) files such as \(first)"
    let package = file.path + ".dwp"
    let advice =
      access(package, R_OK) == 0
      ? "libdw \(SectionCompression.elfutilsVersion) can't read packages such as \(package): "
        + "keep the .dwo files"
      : "keep the .dwo files at their original path, or beside the program"
    return [
      "its debug information is incomplete: \(files) of this build not found; \(advice)"
    ]
  }

  /// A range of code, as offsets from the image's first code address.
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

  private static func open(_ file: ELFFile, _ search: DebugFileSearch?) -> [DWARFHandle] {
    guard let first = DWARFHandle(file) else { return [] }
    var alternate: ELFFile?
    if let link = AlternateFile.link(of: file) {
      alternate = search.flatMap { AlternateFile.find(link, for: file, $0) }
      if alternate == nil { first.leaveOut(link.missing) }
    }
    // Handles share the files' memory, and libdw changes this memory when it inflates a section.
    let isShared = !file.hasCompressedSections && alternate?.hasCompressedSections != true
    let others = (1..<(isShared ? Parallel.processors : 1)).compactMap { _ in
      DWARFHandle(file)
    }
    let handles = [first] + others
    guard let alternate else { return handles }
    for handle in handles {
      if let other = DWARFHandle(alternate) { handle.attach(other) }
    }
    return handles
  }

  /// The offset of an address from the first code address; nil if the address is not in the code.
  func offset(_ address: UInt64) -> UInt32? {
    code.contains(address) ? UInt32(exactly: address - code.lowerBound) : nil
  }

  /// The unit that covers the code at `offset`.
  func unit(at offset: UInt32) -> Int? { covering.value(at: offset) }

  /// Whether one section of an object file may hold the code at two addresses: a unit has a range for each section.
  /// True if debug information does not show it.
  func mayShareSection(_ first: UInt64, _ second: UInt64) -> Bool {
    guard let first = offset(first), let second = offset(second), let unit = unit(at: first),
      self.unit(at: second) != nil, units[unit].hasRanges
    else { return true }
    return covering.number(at: first) == covering.number(at: second)
  }

  /// Opens some units, each once, on all processors. Each thread collects into its own copy of
  /// `initial`; libdw data in it lives as long as the index.
  func sweep<State: Sendable>(
    _ wanted: [Int], _ initial: State, _ visit: @Sendable (inout State, OpenUnit) -> Void
  ) -> [State] {
    turn.withLock { _ in
      Self.work(handles, wanted.count, initial) { state, number, handle in
        let index = wanted[number]
        guard let unit = OpenUnit(units[index], index: index, handle) else { return }
        visit(&state, unit)
        unit.releaseEntries()
      }
    }
  }

  /// Calls `body` for each of `0..<count`, the units in their order, with one thread for each
  /// handle. To reach a unit, libdw passes through all units before it: so the first thread works
  /// from the front and the others from the back, and the first handle never reads the rest.
  private static func work<State: Sendable>(
    _ handles: [DWARFHandle], _ count: Int, _ initial: State,
    _ body: @Sendable (inout State, Int, DWARFHandle) -> Void
  ) -> [State] {
    let batch = 4
    let left = Mutex(0..<count)
    return Parallel.map(min(handles.count, (count + batch - 1) / batch), batch: 1) { thread in
      let handle = handles[thread]
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
