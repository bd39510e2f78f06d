/// The outcome of a first call, recorded by breakpoints if the recorder also waits for returns.
package struct CallOutcome: Hashable, Sendable {
  /// Index of the innermost first call that was running on the same thread when this one began;
  /// smaller than this call's own index. -1 if there was none.
  package var parent: Int32
  /// Nanoseconds from entry to return, without the recorder's own time; nil if the return was not seen.
  package var duration: UInt64?
  package var ending: Ending
  /// Page faults of the process from entry to return.
  package var minorFaults: UInt32
  package var majorFaults: UInt32

  package enum Ending: UInt8, Hashable, Sendable {
    case returned
    /// Entered by a jump from the parent's last instruction: both return at once, so neither
    /// duration is known.
    case tailCall
    /// The function ended without a return: by an exception, longjmp or a switch of stacks.
    case unwound
    /// Still running when the recording ended.
    case running
    /// A part of an async function: it returns to the executor, not to its caller.
    case asynchronous
    /// The return could not be watched: the return address lies in code made at run time, or where
    /// other threads pass constantly.
    case unseen
  }

  package init(
    parent: Int32, duration: UInt64?, ending: Ending, minorFaults: UInt32, majorFaults: UInt32
  ) {
    self.parent = parent
    self.duration = duration
    self.ending = ending
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
  }
}

extension [CallOutcome] {
  /// The outcomes of the kept calls. If a parent is removed, its nearest kept ancestor becomes the
  /// parent.
  ///
  /// - Parameter isKept: for each call whether it stays; parents come before callees.
  func keeping(_ isKept: [Bool]) -> [CallOutcome] {
    guard count == isKept.count else { return [] }
    var places: [Int32] = []  // new index of each call, or of its nearest kept ancestor
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
