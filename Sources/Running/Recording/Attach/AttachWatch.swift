import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// One engine that watches running programs.
protocol AttachWatch {
  /// The programs that are watched.
  var paths: [String] { get }
  var functionCount: Int { get }
  /// The number of processes that run them now.
  var processCount: Int { get }
  var cost: AttachCost { get }

  /// Watches until the time is over, a signal comes, or nothing is left to watch.
  ///
  /// - Parameter seconds: nil: no limit.
  /// - Returns: whether the time is over.
  @discardableResult
  mutating func run(for seconds: Double?, _ signals: SignalWait) throws(Failure) -> Bool

  /// Ends the watch, and returns what it has seen.
  mutating func finish() -> BreakpointRecording
}

/// What a watch cost the watched programs and this process.
package struct AttachCost: Equatable {
  /// Stops at watched functions; nil: not counted.
  package var hits: UInt64?
  /// Seconds that these stops took, and of the longest one.
  package var stopped = 0.0
  package var longest: Double?

  static func + (a: AttachCost, b: AttachCost) -> AttachCost {
    AttachCost(
      hits: a.hits.map { $0 + (b.hits ?? 0) } ?? b.hits, stopped: a.stopped + b.stopped,
      longest: [a.longest, b.longest].compactMap(\.self).max())
  }
}

extension BreakpointRecording {
  /// Notes the functions that the programs may have called before they were watched. None of a file that a
  /// process used from its start on.
  mutating func noteUnwatched() {
    var called: [Int: Set<Int>] = [:]
    var fromStart: Set<Int> = []
    for trace in traces {
      let numbers = trace.images.map(Self.number)
      for call in trace.firstCalls {
        let number = numbers[Int(call.image)]
        called[number, default: []].insert(Int(call.guardIndex))
        let entry = images.entries[number]
        // A forked process begins in the middle of its program.
        if entry.addresses[Int(call.guardIndex)] == entry.image.entryPoint {
          fromStart.formUnion(numbers)
        }
      }
    }
    for (number, entry) in images.entries.enumerated() where !fromStart.contains(number) {
      let calls = called[number] ?? []
      unwatched[number, default: []].formUnion(
        entry.image.mayHaveRunBefore(Array(entry.addresses)) { calls.contains($0) })
    }
  }
}
