/// A period of a thread without a first call: in a recording without returns, the only sign of
/// where time passes.
package struct IdleGap: Hashable, Sendable {
  /// Index, among the timeline's spans, of the preceding first call.
  package var after: Int
  /// Index of the first call that ended the gap; nil if none followed.
  package var before: Int?
  package var duration: UInt64
}

extension Timeline {
  /// The longest periods without a first call, longest first.
  package func quietTimes(of process: Int) -> [IdleGap] {
    var found: [IdleGap] = []
    for thread in threads where thread.process == process {
      for index in thread.spans {
        let next = index + 1 < thread.spans.upperBound ? index + 1 : nil
        // The end of a thread is unknown, except for the main one.
        guard next != nil || thread.isMain else { continue }
        let until = next.map { spans[$0].start } ?? processes[process].end
        let duration = until - min(until, spans[index].start)
        if duration > 0 { found.append(IdleGap(after: index, before: next, duration: duration)) }
      }
    }
    return found.sorted { ($1.duration, $0.after) < ($0.duration, $1.after) }
  }
}
