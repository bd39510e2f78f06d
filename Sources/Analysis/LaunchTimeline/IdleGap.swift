/// A stretch of a thread in which no function ran for the first time: in a recording without returns, the
/// only sign of where time goes.
package struct IdleGap: Hashable, Sendable {
  /// Index, among the timeline's spans, of the first call before it.
  package var after: Int
  /// Of the first call that ended it; nil if nothing more was called.
  package var before: Int?
  package var duration: UInt64
}

extension Timeline {
  /// The longest stretches in which no function ran for the first time, longest first.
  package func quietTimes(of process: Int) -> [IdleGap] {
    var found: [IdleGap] = []
    for thread in threads where thread.process == process {
      for index in thread.spans {
        let next = index + 1 < thread.spans.upperBound ? index + 1 : nil
        // The end of another thread than the main one is not known.
        guard next != nil || thread.isMain else { continue }
        let until = next.map { spans[$0].start } ?? processes[process].end
        let duration = until - min(until, spans[index].start)
        if duration > 0 { found.append(IdleGap(after: index, before: next, duration: duration)) }
      }
    }
    return found.sorted { ($1.duration, $0.after) < ($0.duration, $1.after) }
  }
}
