import FirstlightModel
import Glibc
import TestSupport
import Testing
import TraceReader

@testable import Recording

/// What a watcher writes, against what readers of recordings read.
@Suite struct ProcessWriterTests {
  private let directory = try! TemporaryDirectory()

  private func writer(isLate: Bool = false) throws -> ProcessWriter {
    try ProcessWriter(
      ProcessWriter.Origin(
        pid: 4242, parent: 1, start: 77, clock: (1_000, 5_000), forkedFrom: nil, isLate: isLate,
        engine: .probes, path: Array("/bin/p".utf8), command: Array("p\0-x\0".utf8)),
      in: WatchFolder(directory.url.path))
  }

  private func image(_ count: Int) -> WatchedImage {
    let addresses = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
    for index in 0..<count {
      addresses.initializeElement(at: index, to: 0x1000 + UInt64(index) * 16)
    }
    return WatchedImage(
      path: "/bin/p", buildID: BuildID(bytes: [1, 0xab]), addresses: UnsafeBufferPointer(addresses),
      isSpare: false)
  }

  private func trace() throws -> Trace {
    let reading = try TraceDirectory(path: directory.url.path).read()
    #expect(reading.problems.isEmpty, "\(reading.problems)")
    #expect(reading.traces.count == 1)
    return try #require(reading.traces.first)
  }

  /// The segment grows several times meanwhile.
  @Test func aReaderSeesWhatWasWrittenAtAnyTime() throws {
    let (writer, image) = (try writer(), image(5_000))
    writer.add(image, 3, loadBias: 0x10_0000, since: 900)
    for number in 0..<3_000 {
      writer.add(
        image: 3, function: UInt32(4_999 - number), thread: 9, time: 1_000 + UInt64(number))
      guard [0, 170, 171, 2_999].contains(number) else { continue }
      let seen = try trace()
      #expect(seen.firstCalls.map(\.guardIndex) == (0...number).map { UInt32(4_999 - $0) })
      #expect(seen.losses.isEmpty && seen.watch?.ended == nil)
    }
    writer.addGaps(image: 3, [1, 2, 3, 7])
    writer.set(until: 9_000)
    writer.end(at: 9_500, running: 2, unrecorded: 1)
    let trace = try trace()
    let watched = try #require(trace.images.first)
    #expect(watched.buildID?.description == "01ab" && watched.loadBias == 0x10_0000)
    #expect(watched.recorder == .breakpoints && watched.guardCount == 5_000)
    #expect(watched.watch == ImageWatch(since: 900, gaps: [1..<4, 7..<8], isSpare: false))
    #expect(trace.firstCalls.last?.caller == 0x1000 + 2_000 * 16)
    #expect(trace.path == "/bin/p" && trace.arguments == ["p", "-x"] && trace.process.pid == 4242)
    #expect(trace.losses == Losses(unrecordedProcesses: 1, runningProcesses: 2))
    let watch = try #require(trace.watch)
    #expect(watch.until == 9_000 && watch.ended == 9_500 && !watch.isLate)
    #expect(watch.engine == .probes && watch.recorder.pid == UInt32(getpid()))
  }

  /// A process that ended at once is gone before its arguments are read.
  @Test func aStartWithoutArgumentsCountsIfNoProcessIsLate() throws {
    let writer = try ProcessWriter(
      ProcessWriter.Origin(
        pid: 2, parent: 1, start: 0, clock: (1_000, 5_000), forkedFrom: nil, isLate: false,
        engine: .probes, path: Array("/bin/p".utf8), command: []),
      in: WatchFolder(directory.url.path))
    writer.add(image(2), 0, loadBias: 0)
    writer.add(image: 0, function: 0, thread: 9, time: 2_000)
    writer.end(at: 3_000)
    let profile = try ProfileAssembler(
      run: RecordedRun(directory: directory.url.path, command: [])
    ).profile()
    #expect(profile.builds.first?.withoutStart.isEmpty == true)
    #expect(profile.runs.map(\.command) == [["/bin/p"]] && profile.runs[0].attachment == nil)
  }

  @Test func aStartThatIsSeenAfterAllIsNotLate() throws {
    let writer = try writer(isLate: true)
    #expect(try trace().watch?.isLate == true)
    writer.sawStart()
    #expect(try trace().watch?.isLate == false)
  }

  /// With dlmopen, or when it is loaded again, each copy has breakpoints of its own.
  @Test func aFunctionOfTwoCopiesIsRecordedOnce() throws {
    let (writer, image) = (try writer(), image(3))
    for copy in 0..<2 {
      writer.add(image, 0, loadBias: UInt64(copy) * 0x1000)
      for function in [2, copy] {
        writer.add(image: 0, function: UInt32(function), thread: 9, time: 2_000 + UInt64(copy))
      }
    }
    let trace = try trace()
    #expect(trace.firstCalls.map(\.guardIndex) == [2, 0, 1] && trace.losses.isEmpty)
  }

  /// Of a recording that ends by an error, or whose disk is full.
  @Test func processesThatCannotBeRecordedAreALossOfAnother() throws {
    let writer = try writer()
    writer.addUnrecorded(2)
    writer.addUnrecorded(1)
    writer.end(at: 3_000)
    #expect(try trace().losses == Losses(unrecordedProcesses: 3))
  }

  @Test func aLibraryThatCannotBeWatchedIsOneLoss() throws {
    let writer = try writer()
    for _ in 0..<3 { writer.addLostImage(-1) }
    #expect(try trace().losses == Losses(lostImages: 1))
  }

  /// Two threads' calls may be learnt of in either order.
  @Test func callsAreInTheOrderOfTheirTimes() throws {
    let (writer, image) = (try writer(), image(3))
    writer.add(image, 0, loadBias: 0)
    for (function, time) in [(0, 3_000), (1, 1_500), (2, 2_000)] {
      writer.add(image: 0, function: UInt32(function), thread: 9, time: UInt64(time))
    }
    #expect(try trace().firstCalls.map(\.guardIndex) == [1, 2, 0])
  }

  @Test func anImageWithoutAFileIsALoss() throws {
    let (writer, image) = (try writer(), image(3))
    writer.add(image, 0, loadBias: 0)
    // The next segment's name is taken.
    _ = try directory.write("", to: ".\(writer.id)-1-0")
    writer.add(image, 1, loadBias: 0)
    writer.add(image: 1, function: 0, thread: 9, time: 2_000)
    let trace = try trace()
    #expect(trace.losses.lostImages == 1 && trace.images.count == 1 && trace.firstCalls.isEmpty)
  }

  /// The start of one process stands for another's that was not seen, if both are started alike.
  @Test(arguments: [("p\0-x\0", true), ("p\0--version\0", false), ("", false)])
  func aStartCountsForProcessesThatAreStartedAlike(command: String, isSeen: Bool) throws {
    let image = image(4)
    let folder = try WatchFolder(directory.url.path)
    for (isLate, command) in [(true, "p\0-x\0"), (false, command)] {
      let writer = try ProcessWriter(
        ProcessWriter.Origin(
          pid: isLate ? 1 : 2, parent: 1, start: 77, clock: (1_000, 5_000), forkedFrom: nil,
          isLate: isLate, engine: .probes, path: Array("/bin/p".utf8),
          command: Array(command.utf8)), in: folder)
      writer.add(image, 0, loadBias: 0)
      writer.add(image: 0, function: isLate ? 0 : 1, thread: 9, time: 2_000)
      if !isLate { writer.addGaps(image: 0, [3]) }
      writer.end(at: 3_000)
    }
    let build = try #require(try profile().builds.first)
    #expect(build.coverage.map(\.isCalled) == [true, true, false, false])
    #expect(build.unwatched == [3])
    #expect(build.withoutStart == (isSeen ? [3] : [2, 3]))
    #expect(try profile().runs.first?.attachment == .probes)
  }

  private func profile() throws -> Profile {
    try ProfileAssembler(run: RecordedRun(directory: directory.url.path, command: ["p"])).profile()
  }

  /// Nor does a start show what another process did in a program or a library before that was watched.
  @Test(arguments: ["/bin/p", "/lib/p.so"], [true, false])
  func aStartShowsNothingOfAnImageThatWasWatchedLater(path: String, isAlike: Bool) throws {
    var image = image(4)
    image.path = path
    let folder = try WatchFolder(directory.url.path)
    for time in [1_000, 3_000] as [UInt64] {
      let writer = try ProcessWriter(
        ProcessWriter.Origin(
          pid: UInt32(time), parent: 1, start: 77, clock: (time, 5_000), forkedFrom: nil,
          isLate: false, engine: .probes, path: Array("/bin/p".utf8),
          command: Array("p\0\(isAlike ? 0 : time)\0".utf8)), in: folder)
      writer.add(image, 0, loadBias: 0, since: time == 1_000 ? .max : 2_000)
      if time == 1_000 { writer.set(since: 2_000, image: 0) }
      writer.add(image: 0, function: 1, thread: 9, time: 4_000)
      writer.end(at: 5_000)
    }
    #expect(try profile().builds.first?.withoutStart == (isAlike ? [] : [0, 2, 3]))
  }

  /// A folder may also have processes that recorded themselves.
  @Test func ownRecordingsOfOtherProcessesStay() throws {
    let process = { (pid: UInt32, build: UInt8) in
      var trace = Trace(
        process: ProcessID(pid: pid, namespace: 0, start: 7, key: UInt64(build)), parentPID: 1,
        forkedFrom: nil, path: "/p\(build)", arguments: [], clockBase: (1, 1),
        ready: pid == 1 ? 5 : nil,
        images: [], firstCalls: [], losses: Losses(drops: Int(pid)))
      trace.images = [
        Image(
          buildID: BuildID(bytes: [build]), path: "/p\(build)", loadBias: 0, guardCount: 1,
          guardsStart: 0, drops: 0)
      ]
      return trace
    }
    var watched = process(1, 1)
    (watched.ready, watched.losses) = (nil, Losses())
    watched.images[0].watch = ImageWatch(since: 0, gaps: [], isSpare: false)
    var damaged = watched
    damaged.process.pid = 9
    damaged.losses.unrecordedProcesses = 1
    watched.watch = ProcessWatch(
      engine: .probes, recorder: watched.process, isLate: false, until: nil, ended: nil)
    var child = process(4, 1)
    child.forkedFrom = (watched.process, 0)
    var traces = [watched, process(1, 1), process(2, 1), process(3, 3), child, damaged]
    #expect(traces.foldOwnRecordings().count == 1)
    #expect(traces.map(\.process.pid) == [1, 9, 3])
    #expect(traces[0].ready == 5 && traces[0].losses == Losses(unrecordedProcesses: 1))
    #expect(traces[1].losses == damaged.losses && traces[2].losses.drops == 3)
  }
}
