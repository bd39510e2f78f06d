import RunStatistics

/// Cost of stops in this very program, relative to their calibrated cost.
///
/// A real program finds its caches colder after a stop, or warmer, than the child used for calibration. Its
/// untraced starts show by how much: the scale makes the median of its traced starts that of those. With
/// several threads the medians are those of the CPU time of all, as stops change who runs beside whom and so
/// how long all takes; the time since there was a second thread is then stretched to fit. To check them
/// against untraced starts nevertheless, each start is measured with the scale that the others give.
package struct StopCostScale: Sendable {
  /// For all starts.
  package let setting: OverheadCompensatedClock.Setting
  /// Whether the starts would have given something outside of `range`.
  package let isCut: Bool
  /// Nanoseconds of each watched start by what all others give.
  package let checked: [UInt64]

  /// Beyond that, something else than stops makes the difference.
  package static let range = 0.5...2.0

  /// A start that was left alone, nanoseconds.
  package struct Plain: Sendable {
    package var duration: UInt64
    /// What all threads ran; nil: not known.
    package var cpuTime: UInt64?

    package init(duration: UInt64, cpuTime: UInt64? = nil) {
      self.duration = duration
      self.cpuTime = cpuTime
    }
  }

  /// - Parameters:
  ///   - watched: in the order in which they were made.
  ///   - plain: likewise; as many.
  /// - Returns: nil for fewer than three pairs: without one of them no median would be left.
  package init?(watched: [LaunchEvents], plain: [Plain]) {
    guard watched.count > 2, plain.count == watched.count else { return nil }
    let scales = CostScales(watched, plain)
    let isShared = watched.contains { $0.clock.sharedSince != nil }
    func setting(without place: Int?) -> (OverheadCompensatedClock.Setting, isCut: Bool) {
      let others = watched.indices.filter { $0 != place }
      var setting = OverheadCompensatedClock.Setting()
      let scale = scales.value(others)
      setting.costScale = Self.cut(scale)
      var isCut = setting.costScale != scale
      if isShared {
        let stretch = Self.stretch(
          others.map { watched[$0].set(setting) }, to: others.map { plain[$0].duration })
        setting.stretch = Self.cut(stretch)
        isCut = isCut || setting.stretch != stretch
      }
      return (setting, isCut)
    }
    (self.setting, isCut) = setting(without: nil)
    checked = watched.indices.map { watched[$0].set(setting(without: $0).0).duration }
  }

  private static func cut(_ scale: Double) -> Double {
    min(max(scale, range.lowerBound), range.upperBound)
  }

  private static func stretch(_ watched: [LaunchEvents], to plain: [UInt64]) -> Double {
    let parts = watched.map(\.parts)
    let alone = Sample(parts.map { Double($0.alone) }).median
    let shared = Sample(parts.map { Double($0.shared) }).median
    let wanted = Sample(plain.map { Double($0) }).median
    return shared > 0 && wanted > alone ? (wanted - alone) / shared : 1
  }

  /// What the starts say of the cost of stops.
  private struct CostScales {
    var once: [Double]
    var twice: [Double]
    var plain: [Double]

    init(_ watched: [LaunchEvents], _ plain: [Plain]) {
      let double = watched.map { $0.scaled(by: 2) }
      let isShared = watched.contains { $0.clock.sharedSince != nil }
      let times = plain.compactMap(\.cpuTime)
      let ran = watched.compactMap(\.ownCPUTime)
      let ranLess = double.compactMap(\.ownCPUTime)
      if isShared, times.count == plain.count, ran.count == plain.count {
        once = ran.map { Double($0) }
        twice = ranLess.map { Double($0) }
        self.plain = times.map { Double($0) }
      } else {
        once = watched.map { Double($0.duration) }
        twice = double.map { Double($0.duration) }
        self.plain = plain.map { Double($0.duration) }
      }
    }

    func value(_ places: [Int]) -> Double {
      func median(_ values: [Double]) -> Double { Sample(places.map { values[$0] }).median }
      let cost = median(once) - median(twice)
      return cost > 0 ? 1 + (median(once) - median(plain)) / cost : 1
    }
  }
}

extension LaunchEvents {
  /// Nanoseconds from the request to the end of the start-up, of the program's own time.
  package var duration: UInt64 { since(end.time, thread: endThread) }

  /// That, up to the moment at which there was a second thread, and from then on.
  package var parts: (alone: UInt64, shared: UInt64) {
    let all = duration
    let alone = clock.sharedSince.map { min(all, $0 - min($0, requested)) } ?? all
    return (alone, all - alone)
  }

  /// Nanoseconds that all threads of the process ran for themselves; nil: not known.
  ///
  /// What they ran since the last stop of each is of the process's own count.
  var ownCPUTime: UInt64? {
    cpuTime.map { all in
      let counted = clock.scaled(by: 0).cpuTime(end.time, process: mainThread)
      return clock.cpuTime(end.time, process: mainThread) + (all - min(all, counted))
    }
  }

  /// The same start under another setting of its clock.
  package func set(_ setting: OverheadCompensatedClock.Setting) -> LaunchEvents {
    var events = self
    events.clock = clock.set(setting)
    return events
  }

  /// The same start, had each stop cost so many times as much.
  package func scaled(by scale: Double) -> LaunchEvents {
    var events = self
    events.clock = clock.scaled(by: scale)
    return events
  }
}
