import FirstlightABI
import FirstlightModel

/// Takes first calls out of a segment's slots, part after part, and doubts each.
///
/// A record is taken whole or not at all: one with an impossible field is counted as damaged.
struct RecordScan {
  private(set) var firstCalls: [FirstCall] = []
  private(set) var uncommitted = 0
  private(set) var damaged = 0
  private(set) var firstDamage: (slot: Int, damage: RecordDamage)?

  private let header: SegmentHeader
  private let keepsCalls: Bool
  private var seen: GuardSet
  private var times = (first: UInt64.max, last: UInt64.min)
  private var slot = 0

  /// - Parameters:
  ///   - slots: Whole slots that the file really holds; bounds what is allocated.
  ///   - keepsCalls: Whether first calls are wanted beside the set of them.
  init(header: SegmentHeader, slots: Int, keepsCalls: Bool) {
    self.header = header
    self.keepsCalls = keepsCalls
    seen = GuardSet(guardCount: Int(header.capacity), slots: slots)
    // A file may be large and hold nothing: beyond this, grow with what is really there.
    if keepsCalls { firstCalls.reserveCapacity(min(Int(header.count), slots, 1 << 18)) }
  }

  var called: CalledGuards {
    let times = times.first <= times.last ? times.first...times.last : nil
    return switch seen {
    case .bits(let words): CalledGuards(words: words, times: times)
    case .hashed(let guards): CalledGuards(listed: Array(guards), times: times)
    }
  }

  /// Takes the next slots.
  /// - Parameters:
  ///   - guards: Copy of the slots that shows which are committed.
  ///   - fields: Copy of the same slots, made later, that gives the other fields. A writer stores a slot's
  ///     guard last, with release; so whatever slot the first copy shows committed has its other fields in
  ///     the second, in whatever order a copy moves its bytes.
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

  /// Passes over the next slots, which are a hole in the file.
  mutating func skip(_ count: Int) {
    uncommitted += count
    slot += count
  }

  /// How many first calls were taken so far.
  var taken: Int { slot - uncommitted - damaged }

  /// Doubts the next slots and gives `keep` what is right.
  @inline(__always)
  private mutating func scan(
    _ guards: UnsafeRawBufferPointer, _ fields: UnsafeRawBufferPointer,
    _ keep: (_ number: UInt32, fl_record) -> Void
  ) {
    let size = MemoryLayout<fl_record>.stride
    let whole = min(guards.count, fields.count) / size
    guard let guards = guards.baseAddress, let fields = fields.baseAddress else { return }
    // Moved into a local variable while the loop runs: Swift need not check for each record who owns that.
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
        if let wrong = RecordDamage(number, record, in: header) {
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
  private mutating func note(_ damage: RecordDamage, slot: Int) {
    damaged += 1
    if firstDamage == nil { firstDamage = (slot, damage) }
  }
}

/// Why a record cannot be right.
enum RecordDamage {
  case guardBeyondCapacity(UInt32)
  case repeatedGuard(UInt32)
  case callerOutsideImage(UInt32)
  case impossibleTime(UInt64)

  /// What is wrong with a committed record; nil if nothing is, apart from other records.
  @inline(__always)
  init?(_ number: UInt32, _ record: fl_record, in header: SegmentHeader) {
    if number > header.capacity {
      self = .guardBeyondCapacity(number)
    } else if UInt64(record.caller) >= header.imageSize {
      self = .callerOutsideImage(record.caller)
    } else if record.time < header.monotonic || record.time > latestTime {
      self = .impossibleTime(record.time)
    } else {
      return nil
    }
  }

  /// Where the wrong field is in its record, bytes.
  var offset: Int {
    let offset =
      switch self {
      case .guardBeyondCapacity, .repeatedGuard: MemoryLayout<fl_record>.offset(of: \.guard)
      case .callerOutsideImage: MemoryLayout<fl_record>.offset(of: \.caller)
      case .impossibleTime: MemoryLayout<fl_record>.offset(of: \.time)
      }
    return offset ?? 0
  }

  /// What is wrong, in a segment with this header.
  func problem(in header: SegmentHeader) -> String {
    switch self {
    case .guardBeyondCapacity(let number):
      "guard is \(number), expected at most \(header.capacity)"
    case .repeatedGuard(let number):
      "guard \(number) occurs twice, expected once"
    case .callerOutsideImage(let caller):
      "caller is \(caller), expected less than image size \(header.imageSize)"
    case .impossibleTime(let time):
      "time is \(time) ns, expected \(header.monotonic) to \(latestTime)"
    }
  }
}

/// The guards a segment was seen to hold.
private enum GuardSet {
  /// One bit a guard: for a file as large as it says, a small part of its size.
  case bits([UInt64])
  /// For one that is smaller than it says.
  case hashed(Set<UInt32>)

  init(guardCount: Int, slots: Int) {
    if guardCount / 8 <= slots * MemoryLayout<fl_record>.stride {
      self = .bits(Array(repeating: 0, count: (guardCount + 63) / 64))
    } else {
      self = .hashed([])
    }
  }

  /// Gives `body` what adds a guard that is less than `guardCount`, and says false if it was there.
  @inline(__always)
  mutating func fill(_ body: (_ insert: (UInt32) -> Bool) -> Void) {
    switch self {
    case .bits(var words):
      // Leaves `words` the only owner, so that writing to it copies nothing.
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
