// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Scripts/fuzz builds it alone and runs it; MutatedInputTests runs it on inputs of its own.
@testable import TraceReader

/// Reads one input as a segment, as a process file, as marks and as counters, and stops the program where a promise of
/// theirs is broken.
#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzSegment(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: size)
  if let process = try? ProcessFile.parse(bytes, name: "input") {
    precondition(process.process.pid != 0)
    precondition(process.forkedFrom?.process != process.process)
    precondition(process.lostImages <= process.imageCount)
    precondition(process.ready ?? .max >= process.clockBase.monotonic)
  }
  if let page = try? MarksFile.parse(bytes, name: "input") {
    precondition(page.marks.count <= 8192)
    for (a, b) in zip(page.marks, page.marks.dropFirst()) { precondition(a.time <= b.time) }
    for mark in page.marks {
      precondition(mark.name.utf8.count <= 3 * 1024)  // a byte that is no UTF-8 becomes three
      if case .span(let duration?) = mark.kind {
        precondition(duration > 0 && duration <= Int64.max - Int64(mark.time))
      }
    }
  }
  if let counted = try? CountersFile.parse(bytes, of: nil, name: "input") {
    precondition(counted.count <= size / 48)
    precondition(counted.words.count == (counted.count + 63) / 64)
    precondition(counted.words.reduce(0) { $0 + $1.nonzeroBitCount } <= counted.count)
  }
  if let segment = try? SegmentFile.parse(bytes, name: "input") { check(segment, size) }
  return 0
}

private func check(_ segment: Segment, _ size: Int) {
  precondition(segment.firstCalls.count + segment.uncommitted <= max(0, size - 4096) / 24)
  precondition(segment.damaged == 0 || segment.problem != nil)
  let end = segment.imageStart + segment.imageSize
  for call in segment.firstCalls {
    precondition(call.guardIndex < segment.image.guardCount)
    precondition(call.time >= segment.clockBase.monotonic && call.time <= Int64.max)
    precondition(call.caller >= segment.imageStart && call.caller < end)
  }
  precondition(Set(segment.firstCalls.map(\.guardIndex)).count == segment.firstCalls.count)

  // Twice the same segment: every sequence occurs at least twice.
  let twice = TraceAssembly(
    recorded: nil, segments: [(segment, "input"), (segment, "input")], unreadableSegments: 0)
  guard let trace = twice.trace else { preconditionFailure("a segment makes a trace") }
  precondition(trace.firstCalls.count == segment.firstCalls.count * 2)
  precondition((twice.problem == nil) == segment.firstCalls.isEmpty)
  for (a, b) in zip(trace.firstCalls, trace.firstCalls.dropFirst()) {
    precondition((a.sequence, a.time, a.image) <= (b.sequence, b.time, b.image))
  }
}
