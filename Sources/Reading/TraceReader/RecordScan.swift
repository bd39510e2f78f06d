import FirstlightABI
import FirstlightModel

/// Reads first calls from a segment's slots, part by part, and validates each.
///
/// A record with an impossible field is skipped as a whole, and counted as damaged.
struct RecordScan {
  private(set) var firstCalls: [FirstCall] = []
  /// Of a watcher's segment: see `ImageWatch.gaps`.
  private(set) var gaps: [Range<UInt32>] = []
  private(set) var uncommitted = 0
  private(set) var damaged = 0
  private(set) var firstDamage: (slot: Int, damage: RecordDamage)?

  private let header: SegmentHeader
  private let keepsCalls: Bool
  private var seen: GuardSet
  private var times = (first: UInt64.max, last: UInt64.min)
  private var slot = 0

  /// - Parameters:
  ///   - slots: Number of whole slots in the file; limits the allocation.
  ///   - keepsCalls: Whether first calls are needed beside the set of called guards.
  init(header: SegmentHeader, slots: Int, keepsCalls: Bool) {
    self.header = header
    self.keepsCalls = keepsCalls
    seen = GuardSet(guardCount: Int(header.capacity), slots: slots)
    // A large file may be empty: beyond this size, the array grows with the real contents.
    if keepsCalls { firstCalls.reserveCapacity(min(Int(header.count), slots, 1 << 18)) }
  }

  var called: CalledGuards {
    let times = times.first <= times.last ? times.first...times.last : nil
    return switch seen {
    case .bits(let words): CalledGuards(words: words, times: times)
    case .hashed(let guards): CalledGuards(listed: Array(guards), times: times)
    }
  }

  /// Reads the next slots.
  /// - Parameters:
  ///   - guards: Copy of the slots that shows which ones are committed.
  ///   - fields: Later copy of the same slots for the other fields. A writer stores a slot's guard
  ///     last, with release; so each slot that the first copy shows as committed has all its other
  ///     fields in the second, in whatever order a copy moves its bytes.
  mutating func take(guards: UnsafeRawBufferPointer, fields: UnsafeRawBufferPointer) {
    guard keepsCalls else { return scan(guards, fields) { _, _ in } }
    var calls = firstCalls
    firstCalls = []
    let imageStart = header.imageStart
    scan(guards, fields) { number, record in
      calls.append(
        FirstCall(
          image: 0, guardIndex: number - 1, thread: record.thread, sequence: record.sequence,
          time: record.time, caller: imageStart + UInt64(record.caller)))
    }
    firstCalls = calls
  }

  /// Skips the next slots, which lie in a hole of the file.
  mutating func skip(_ count: Int) {
    uncommitted += count
    slot += count
  }

  /// Number of first calls read so far.
  var taken: Int { slot - uncommitted - damaged }

  /// Validates the next slots, and passes the valid ones to `keep`.
  @inline(__always)
  private mutating func scan(
    _ guards: UnsafeRawBufferPointer, _ fields: UnsafeRawBufferPointer,
    _ keep: (_ number: UInt32, fl_record) -> Void
  ) {
    let size = MemoryLayout<fl_record>.stride
    let whole = min(guards.count, fields.count) / size
    guard let guards = guards.baseAddress, let fields = fields.baseAddress else { return }
    // A local variable spares Swift's exclusivity checks within the loop.
    var seen = seen
    self.seen = .hashed([])
    let header = header
    seen.fill { insert in
      var (first, last) = times
      for index in 0..<whole {
        let number = guards.loadUnaligned(fromByteOffset: index * size, as: UInt32.self)
        if number == 0 {
          uncommitted += 1
          continue
        }
        let record = fields.loadUnaligned(fromByteOffset: index * size, as: fl_record.self)
        if !header.hasAllSlots, record.thread == 0 {
          addGap(number, record, slot: slot + index)
        } else if let wrong = RecordDamage(number, record, in: header) {
          note(wrong, slot: slot + index)
        } else if insert(number - 1) {
          first = min(first, record.time)
          last = max(last, record.time)
          keep(number, record)
        } else {
          note(.repeatedGuard(number), slot: slot + index)
        }
      }
      times = (first, last)
    }
    slot += whole
    self.seen = seen
  }

  @inline(never)
  private mutating func addGap(_ number: UInt32, _ record: fl_record, slot: Int) {
    let (last, isBeyond) = number.addingReportingOverflow(record.caller)
    guard !isBeyond, last <= header.capacity else {
      return note(.guardBeyondCapacity(isBeyond ? .max : last), slot: slot)
    }
    gaps.append(number - 1..<last)
  }

  @inline(never)
  private mutating func note(_ damage: RecordDamage, slot: Int) {
    damaged += 1
    if firstDamage == nil { firstDamage = (slot, damage) }
  }
}

/// The set of guards seen in a segment.
private enum GuardSet {
  /// One bit for each guard: for a complete file, a small part of its size.
  case bits([UInt64])
  /// For a file that is smaller than its header claims.
  case hashed(Set<UInt32>)

  init(guardCount: Int, slots: Int) {
    if guardCount / 8 <= slots * MemoryLayout<fl_record>.stride {
      self = .bits(Array(repeating: 0, count: (guardCount + 63) / 64))
    } else {
      self = .hashed([])
    }
  }

  /// Passes a function to `body` that adds a guard below `guardCount`, and returns false for a duplicate.
  @inline(__always)
  mutating func fill(_ body: (_ insert: (UInt32) -> Bool) -> Void) {
    switch self {
    case .bits(var words):
      // Makes `words` the only owner, so that writing copies nothing.
      self = .hashed([])
      words.withUnsafeMutableBufferPointer { words in
        body { index in
          let bit = UInt64(1) << UInt64(index & 63)
          let isNew = words[Int(index >> 6)] & bit == 0
          words[Int(index >> 6)] |= bit
          return isNew
        }
      }
      self = .bits(words)
    case .hashed(var indices):
      self = .hashed([])
      body { indices.insert($0).inserted }
      self = .hashed(indices)
    }
  }
}
