import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// What a launched program reads and writes: its output is thrown away but for its last words, or copied.
/// Where a line is waited for, it writes to a terminal, as then it writes line by line.
package final class LaunchStreams: Sendable {
  /// For descriptors 0, 1, 2 of the program. Ours until deinit.
  package let descriptors: [Int32]
  private let line: [UInt8]?
  /// Where what comes from the terminal goes on to; -1: nowhere.
  private let copy: Int32
  /// nil: its errors go to the terminal.
  private let errors: ErrorLog?
  /// Our end of the terminal; -1: none.
  private let terminal: Int32
  /// Ends the thread that reads.
  private let stop: WakePipe
  private let state = Mutex(State())

  private struct State {
    var rest: [UInt8] = []
    var last = ""
    var reachedAt: Double?
    var thread: SignalFreeThread?
  }

  /// - Parameters:
  ///   - input: what it reads; is closed with this.
  ///   - copy: where its output goes on to if a line is looked for; -1: nowhere.
  /// - Throws: `Failure` of kind `system`.
  package init(line: String?, input: Int32, copy: Int32 = -1) throws(Failure) {
    self.copy = copy
    self.line = line.map { Array($0.utf8) }
    stop = try WakePipe()
    if line != nil {
      var program: Int32 = -1
      var ours: Int32 = -1
      let error = fl_open_terminal(&program, &ours)
      guard error == 0 else {
        throw Failure(.system, "cannot create a terminal: \(ErrorText.of(error))")
      }
      terminal = ours
      errors = nil
      descriptors = [input, program, program]
    } else {
      terminal = -1
      let errors = try ErrorLog()
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      guard null >= 0 else {
        throw Failure(.system, "/dev/null: cannot open: \(ErrorText.of(errno))")
      }
      self.errors = errors
      descriptors = [input, null, errors.descriptor]
    }
  }

  deinit {
    joinReader()
    for descriptor in Set(descriptors) where descriptor != errors?.descriptor { close(descriptor) }
    if terminal >= 0 { close(terminal) }
  }

  /// Starts to look for the line. Call once the program has been started.
  func start(onReached: @escaping @Sendable () -> Void) {
    guard terminal >= 0 else { return }
    let thread = SignalFreeThread(for: self) { streams in
      streams.read(
        onReached: onReached,
        while: { fl_wait(streams.stop.output, streams.terminal, -1) & Int32(FL_WAIT_FIRST) == 0 })
    }
    state.withLock { $0.thread = thread }
  }

  /// Reads the rest of the output. Call once the program has ended: the reading thread may not have read its
  /// last lines from the terminal yet.
  func finish() {
    guard terminal >= 0 else { return }
    joinReader()
    read(onReached: {}, while: { fl_wait(-1, terminal, 0) != 0 })
  }

  private func joinReader() {
    stop.ring()
    state.withLock { state in
      defer { state.thread = nil }
      return state.thread
    }?.join()
  }

  /// Reads as long as there is something.
  private func read(onReached: () -> Void, while isThere: () -> Bool) {
    let room = 4096
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    while isThere() {
      let count = Glibc.read(terminal, buffer, room)
      if count < 0, errno == EINTR { continue }
      // EIO: no process has the other end open.
      guard count > 0 else { return }
      let now = Clock.monotonic()
      let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
      if take(Array(bytes), at: now) { onReached() }
      // The reader of the copy may have gone, which must not disturb the program.
      if copy >= 0 { try? FileContents.write(bytes, to: copy) }
    }
  }

  /// Takes what was written; whether the line is there now for the first time.
  private func take(_ bytes: [UInt8], at now: Double) -> Bool {
    state.withLock { state in
      state.rest += bytes
      var found = false
      while let end = state.rest.firstIndex(of: 0x0a) {
        let written = Array(state.rest[..<end])
        state.rest.removeSubrange(...end)
        let text = String(decoding: written.filter { $0 != 0x0d }, as: UTF8.self)
        if text.contains(where: { !$0.isWhitespace }) { state.last = String(text.prefix(500)) }
        if let line, state.reachedAt == nil, written.hasPart(line) {
          state.reachedAt = now
          found = true
        }
      }
      // No line is as long.
      if state.rest.count > 1 << 20 { state.rest.removeAll() }
      return found
    }
  }

  /// CLOCK_MONOTONIC when the line was read, seconds; nil before it.
  var reachedAt: Double? { state.withLock { $0.reachedAt } }

  /// The last line that it wrote to standard error (to the terminal, if it has one); empty: none.
  package var lastWords: String {
    errors?.lastWords ?? state.withLock { $0.last }
  }
}

extension [UInt8] {
  fileprivate func hasPart(_ part: [UInt8]) -> Bool {
    guard part.count <= count else { return false }
    return (0...(count - part.count)).contains { self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
