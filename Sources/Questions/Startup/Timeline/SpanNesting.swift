/// A call or initializer on a thread, before it is nested.
struct SpanStep {
  var function: Int
  var thread: UInt32
  /// Time since the process's start.
  var start: UInt64
  var duration = TimelineSpan.Duration.unknown
  var ending = TimelineSpan.Ending.notSeen
  /// Index of the recorded caller; -1 if none.
  var parent = -1
  var minorFaults: UInt64 = 0
  var majorFaults: UInt64 = 0
  var isInitializer = false
  /// Image and linker name: an initializer's own first call has the same identity.
  var identity: [String] = []

  init(function: Int, thread: UInt32, start: UInt64) {
    self.function = function
    self.thread = thread
    self.start = start
  }
}

/// Nests the steps of one thread: calls by the recorded callers, initializers by time. Makes one
/// pass over the steps by time, with the open ones on a stack.
struct SpanNesting {
  private(set) var spans: [TimelineSpan] = []
  /// Number of spans that ended more than a microsecond after their parents.
  private(set) var cutSpans = 0

  private let steps: [SpanStep]
  private let thread: Int
  private let firstSpan: Int
  private let offset: UInt64
  /// Index of each step's span in `spans`.
  private var places: [Int]
  /// Whether a step is on the stack.
  private var isOpen: [Bool]
  private var stack: [Int] = []
  /// Index of each span's parent in `spans`; -1 if none.
  private var parents: [Int] = []

  /// - Parameters:
  ///   - firstSpan: number of spans of earlier threads.
  ///   - offset: the process's start on the timeline's clock.
  init(_ steps: [SpanStep], thread: Int, firstSpan: Int, offset: UInt64) {
    self.steps = steps
    self.thread = thread
    self.firstSpan = firstSpan
    self.offset = offset
    places = Array(repeating: -1, count: steps.count)
    isOpen = Array(repeating: false, count: steps.count)
  }

  mutating func nest() {
    spans.reserveCapacity(steps.count)
    let order = steps.indices.sorted { a, b in
      let (first, second) = (steps[a], steps[b])
      return (first.start, first.isInitializer ? 0 : 1, a)
        < (second.start, second.isInitializer ? 0 : 1, b)
    }
    for index in order { place(index) }
    extendOverChildren()
    fitIntoParents()
    takeSelfTimes()
  }

  private func end(_ index: Int) -> UInt64 {
    switch steps[index].duration {
    case .unknown: steps[index].start
    case .exactly(let length), .atLeast(let length): steps[index].start + length
    }
  }

  /// Whether the times allow that a call ran in an initializer: subtracting the recorder's own time
  /// leaves some error in both.
  private func holds(_ initializer: Int, _ call: Int) -> Bool {
    let length = end(initializer) - steps[initializer].start
    return steps[call].start < end(initializer)
      && end(call) <= end(initializer) + length / 8 + 1000
  }

  private mutating func pop() { isOpen[stack.removeLast()] = false }

  private mutating func place(_ index: Int) {
    let step = steps[index]
    if !step.isInitializer {
      // A recorded caller that is not open is ignored.
      let caller = step.parent >= 0 && isOpen[step.parent] ? step.parent : -1
      while let top = stack.last, top != caller,
        !steps[top].isInitializer || !holds(top, index)
      {
        pop()
      }
    } else {
      while let top = stack.last, end(top) <= step.start { pop() }
    }
    let parent = stack.last
    stack.append(index)
    isOpen[index] = true
    if let parent, isOwnCall(index, of: parent) {
      // The initializer's own first call shares its span.
      let place = places[parent]
      places[index] = place
      spans[place].function = step.function
      spans[place].isFirstCall = true
      return
    }
    places[index] = spans.count
    let parentPlace = parent.map { places[$0] } ?? -1
    parents.append(parentPlace)
    spans.append(
      TimelineSpan(
        function: step.function, thread: thread,
        parent: parentPlace < 0 ? -1 : firstSpan + parentPlace,
        depth: parentPlace < 0 ? 0 : spans[parentPlace].depth + 1, start: offset + step.start,
        duration: step.duration, selfTime: 0, ending: step.ending,
        isInitializer: step.isInitializer, isFirstCall: !step.isInitializer,
        minorFaults: step.minorFaults,
        majorFaults: step.majorFaults))
  }

  private func isOwnCall(_ call: Int, of parent: Int) -> Bool {
    !steps[call].isInitializer && steps[parent].isInitializer && places[parent] == spans.count - 1
      && !steps[parent].identity.isEmpty && steps[call].identity == steps[parent].identity
  }

  /// A call without a seen end lasted at least as long as its callees.
  private mutating func extendOverChildren() {
    for place in spans.indices.reversed() where parents[place] >= 0 {
      let parent = parents[place]
      let end = spans[place].end
      let isOpenEnded: Bool
      switch spans[parent].duration {
      case .unknown: isOpenEnded = spans[parent].ending != .notSeen
      case .atLeast: isOpenEnded = true
      case .exactly: isOpenEnded = false
      }
      if isOpenEnded, end > spans[parent].end {
        spans[parent].duration = .atLeast(end - spans[parent].start)
      }
    }
  }

  /// Makes children end within their parents, and before the next sibling. A duration known only as
  /// a minimum extends to the start of the next sibling.
  private mutating func fitIntoParents() {
    // The last slot is for spans without parent.
    var last = [Int](repeating: -1, count: spans.count + 1)
    var before = [Int](repeating: -1, count: spans.count)
    var after = before
    for place in spans.indices {
      let slot = parents[place] < 0 ? spans.count : parents[place]
      before[place] = last[slot]
      if last[slot] >= 0 { after[last[slot]] = place }
      last[slot] = place
    }
    for place in spans.indices {
      let end = spans[place].end
      var lower = spans[place].start
      var upper = UInt64.max
      if before[place] >= 0 { lower = max(lower, spans[before[place]].end) }
      if parents[place] >= 0, !spans[parents[place]].isMoment {
        upper = spans[parents[place]].end
      }
      spans[place].keep(from: min(lower, upper), to: upper)
      if end - min(end, upper) > 1000 { cutSpans += 1 }
      if case .atLeast = spans[place].duration, after[place] >= 0 {
        spans[place].keep(from: 0, to: spans[after[place]].start)
      }
    }
  }

  private mutating func takeSelfTimes() {
    for place in spans.indices { spans[place].selfTime = spans[place].length }
    for place in spans.indices where parents[place] >= 0 {
      let parent = parents[place]
      spans[parent].selfTime -= min(spans[parent].selfTime, spans[place].length)
      switch (spans[place].duration, spans[place].ending) {
      case (.exactly, _), (_, .running), (_, .notSeen): break
      default: spans[parent].isSelfTimeAtMost = true
      }
    }
  }
}

extension TimelineSpan {
  /// Limits the span to the time between two moments.
  fileprivate mutating func keep(from lower: UInt64, to upper: UInt64) {
    let end = max(lower, min(end, upper))
    start = max(start, lower)
    let length = end - min(start, end)
    switch duration {
    case .unknown: break
    case .exactly: duration = .exactly(length)
    case .atLeast: duration = .atLeast(length)
    }
  }
}
