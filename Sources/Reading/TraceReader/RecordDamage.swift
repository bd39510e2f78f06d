import FirstlightABI
import FirstlightModel

/// The damage of a record.
enum RecordDamage {
  case guardBeyondCapacity(UInt32)
  case repeatedGuard(UInt32)
  case callerOutsideImage(UInt32)
  case impossibleTime(UInt64)

  /// The problem of a committed record, judged on its own; nil if there is none.
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

  /// Offset of the wrong field within the record, bytes.
  var offset: Int {
    let offset =
      switch self {
      case .guardBeyondCapacity, .repeatedGuard: MemoryLayout<fl_record>.offset(of: \.guard)
      case .callerOutsideImage: MemoryLayout<fl_record>.offset(of: \.caller)
      case .impossibleTime: MemoryLayout<fl_record>.offset(of: \.time)
      }
    return offset ?? 0
  }

  /// The problem's description for a segment with this header.
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
