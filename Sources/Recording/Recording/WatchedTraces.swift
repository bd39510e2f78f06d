import FirstlightModel
import SystemSupport

/// What a run's watched processes leave unknown.
struct WatchedTraces {
  private let traces: [Trace]

  /// Nil if no process was watched from outside.
  init?(_ traces: [Trace]) {
    self.traces = traces.filter { $0.watch != nil }
    if self.traces.isEmpty { return nil }
  }

  /// How the recorder attached, if some process had begun before.
  var attachment: Attachment? {
    traces.lazy.compactMap(\.watch).first { $0.isLate }?.engine
  }

  /// Notes the functions of each build that were not called and not watched, or not from a start.
  func note(in profile: inout Profile, buildIndex: (Image) -> Int?) {
    var views: [Int: [View]] = [:]
    for trace in traces {
      for image in trace.images {
        if let index = buildIndex(image) { views[index, default: []].append(View(trace, image)) }
      }
    }
    for (index, views) in views {
      let called = profile.builds[index].coverage
      func uncalled(_ functions: some Sequence<UInt32>) -> Set<UInt32> {
        Set(functions.filter { Int($0) < called.count && !called[Int($0)].isCalled })
      }
      let all = 0..<UInt32(clamping: called.count)
      var unwatched: Set<UInt32> = []
      for view in views {
        if view.isNeverComplete {
          unwatched.formUnion(uncalled(all))
        } else {
          for gap in view.gaps { unwatched.formUnion(uncalled(gap)) }
        }
      }
      profile.builds[index].unwatched = unwatched
      profile.builds[index].withoutStart =
        views.contains(where: \.showsStart) ? unwatched : uncalled(all)
    }
  }

  /// What one process shows of one image.
  private struct View {
    let showsStart: Bool
    let isNeverComplete: Bool
    let gaps: [Range<UInt32>]

    init(_ trace: Trace, _ image: Image) {
      showsStart = trace.showsStart(of: image)
      isNeverComplete = image.watch?.since == .max
      gaps = image.watch?.gaps ?? []
    }
  }
}

extension [Trace] {
  /// Moves what watched processes recorded about themselves (readiness and marks) into the watcher's traces, and
  /// removes their own. Nothing happens if no process was watched.
  ///
  /// - Returns: problems with processes that were not watched, but recorded a program that was: a profile holds each
  ///   build once. They are losses.
  mutating func foldOwnRecordings() -> [String] {
    guard contains(where: { $0.watch != nil }) else { return [] }
    // Without its process file, a watched process is still known by its images.
    let isOwn: (Trace) -> Bool = { trace in
      trace.watch == nil && trace.images.allSatisfy { $0.watch == nil }
    }
    let own = filter(isOwn)
    removeAll(where: isOwn)
    let builds = Set(flatMap(\.images).map(\.buildKey))
    var family = Set(lazy.filter { $0.watch != nil }.map { ProcessName($0.process) })
    var places: [UInt32: [Int]] = [:]
    for (place, trace) in enumerated() { places[trace.process.pid, default: []].append(place) }
    var problems: [String] = []
    for told in own {
      let name = ProcessName(told.process)
      let parent = told.forkedFrom.map { ProcessName($0.process) }
      guard family.contains(name) || parent.map(family.contains) == true else {
        if told.images.contains(where: { builds.contains($0.buildKey) }) {
          self[0].losses.unrecordedProcesses += 1
          problems.append(
            "\(told.path) (process \(told.process.pid)) recorded itself, but others of its build were watched, so its "
              + "calls are left out; record them in separate directories")
        } else {
          append(told)
        }
        continue
      }
      family.insert(name)
      // A process that executed several programs has a trace for each.
      let place = places[told.process.pid]?.last {
        self[$0].clockBase.monotonic <= told.clockBase.monotonic
      }
      guard let place else { continue }
      if self[place].ready == nil { self[place].ready = told.ready }
      let lead = told.clockBase.monotonic - self[place].clockBase.monotonic
      self[place].marks += told.marks.map { mark in
        var mark = mark
        mark.time += lead
        return mark
      }
    }
    return problems
  }

  /// A process whatever program it executes.
  private struct ProcessName: Hashable {
    let pid: UInt32
    let start: UInt64

    init(_ process: ProcessID) { (pid, start) = (process.pid, process.start) }
  }

  /// Leaves out the programs without symbols that started another: a shell, env.
  mutating func removeSpareImages() {
    let hasBetter = contains { $0.images.contains { $0.watch?.isSpare == false } }
    guard hasBetter else { return }
    for place in indices {
      let spare = Set(
        self[place].images.indices.filter { self[place].images[$0].watch?.isSpare == true })
      guard !spare.isEmpty else { continue }
      var number: Int32 = 0
      let numbers = self[place].images.indices.map { index -> Int32? in
        if spare.contains(index) { return nil }
        defer { number += 1 }
        return number
      }
      self[place].firstCalls = self[place].firstCalls.compactMap { call in
        guard let kept = numbers[Int(call.image)] else { return nil }
        var call = call
        call.image = kept
        return call
      }
      self[place].images = self[place].images.indices.filter { !spare.contains($0) }.map {
        self[place].images[$0]
      }
    }
    removeAll { $0.images.isEmpty && !$0.hasLostCalls }
  }
}

extension Image {
  /// The build id, or the path of a file without one.
  fileprivate var buildKey: TextBytes { TextBytes(buildID?.description ?? path) }
}
