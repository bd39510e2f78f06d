extension OverheadCompensatedClock {
  /// What stops cost on a processor of the thread's own, and on the tracer's.
  package struct Costs: Hashable, Sendable {
    package var apart: StopCost
    package var beside: StopCost

    /// - Parameter beside: nil: as apart.
    package init(apart: StopCost, beside: StopCost? = nil) {
      self.apart = apart
      self.beside = beside ?? apart
    }

    func scaled(by scale: Double) -> Costs {
      Costs(apart: apart.scaled(by: scale), beside: beside.scaled(by: scale))
    }
  }

  /// What a stop costs beside the time in which the thread stands still, nanoseconds.
  package struct StopCost: Hashable, Sendable {
    /// Until it has been seen, and from its resumption on.
    package var before: UInt64
    package var after: UInt64
    /// Both, of a stop at a system call.
    package var systemCall: UInt64
    /// What of that the thread spends on its processor; 0: not known.
    package var running: UInt64
    package var systemCallRunning: UInt64
    /// `before`, where the tracer had slept long.
    package var waking: UInt64

    /// - Parameter systemCall: nil: as of any other stop.
    package init(
      before: UInt64, after: UInt64, systemCall: UInt64? = nil, running: UInt64 = 0,
      systemCallRunning: UInt64 = 0, waking: UInt64? = nil
    ) {
      self.before = before
      self.after = after
      self.systemCall = systemCall ?? before + after
      self.running = running
      self.systemCallRunning = systemCallRunning
      self.waking = waking ?? before
    }

    func scaled(by scale: Double) -> StopCost {
      func scaled(_ cost: UInt64) -> UInt64 { UInt64(Double(cost) * scale) }
      // 0 would be: not known.
      func known(_ cost: UInt64) -> UInt64 { cost == 0 ? 0 : max(1, scaled(cost)) }
      return StopCost(
        before: scaled(before), after: scaled(after), systemCall: scaled(systemCall),
        running: known(running), systemCallRunning: known(systemCallRunning),
        waking: scaled(waking))
    }

    func before(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall / 2 : before }
    func after(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall / 2 : after }
    func running(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCallRunning : running }
  }
}
