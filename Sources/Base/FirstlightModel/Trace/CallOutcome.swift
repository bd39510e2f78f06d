/// How a first call went: what the breakpoint recorder sees when it waits for returns too.
package struct CallOutcome: Hashable, Sendable {
  /// Index, among the process's first calls, of the one that was running on the same thread and had
  /// not returned when this one began: the innermost; smaller than this call's own. -1: none.
  package var parent: Int32
  /// Nanoseconds from entry to return, without the recorder's own time; nil if no return was seen.
  package var duration: UInt64?
  package var ending: Ending
  /// Page faults of the process from entry to return.
  package var minorFaults: UInt32
  package var majorFaults: UInt32
  /// Nanoseconds that the thread was on a processor from entry to return; nil: not known.
  package var cpuTime: UInt64?
  /// How often the recorder stopped the thread after the entry, up to the return: each time is off by as
  /// much as a stop is (`LaunchRecord.stopError`).
  package var stops: UInt32

  package enum Ending: UInt8, Hashable, Sendable {
    case returned
    /// Entered by a jump from its parent's last instruction: both return at once, so how long each
    /// of the two took is not known.
    case tailCall
    /// Left without a return: an exception, longjmp, or a switch of stacks.
    case unwound
    /// Still running when the recording ended.
    case running
    /// A piece of an async function: it returns to the executor, not to its caller.
    case asynchronous
    /// It may have returned without being seen to: it returns into code made at run time, or to where
    /// other threads pass all the time.
    case unseen
  }

  package init(
    parent: Int32, duration: UInt64?, ending: Ending, minorFaults: UInt32, majorFaults: UInt32,
    cpuTime: UInt64? = nil, stops: UInt32 = 0
  ) {
    self.parent = parent
    self.duration = duration
    self.ending = ending
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.cpuTime = cpuTime
    self.stops = stops
  }
}

extension [CallOutcome] {
  /// The returns of some of the calls: where a parent goes, its nearest ancestor that stays takes
  /// its place.
  ///
  /// - Parameter isKept: for each call whether it stays; parents come before those they called.
  func keeping(_ isKept: [Bool]) -> [CallOutcome] {
    guard count == isKept.count else { return [] }
    var places: [Int32] = []  // of each call, or of the ancestor that stands for it
    places.reserveCapacity(count)
    var kept: [CallOutcome] = []
    for (index, isKept) in isKept.enumerated() {
      let parent = self[index].parent < 0 ? -1 : places[Int(self[index].parent)]
      guard isKept else {
        places.append(parent)
        continue
      }
      places.append(Int32(kept.count))
      kept.append(self[index])
      kept[kept.count - 1].parent = parent
    }
    return kept
  }
}
