import FirstlightModel
import Glibc
import Synchronization
import SystemSupport
import TraceReader

/// Finds losses of a run that the files in its directory cannot show: files that are removed, and processes that
/// could not write there, because the directory is hidden from them (another mount namespace) or they are of another
/// user.
///
/// Such a process sends a datagram to an abstract socket with the directory's name, which no mount hides.
final class SpoolWatch: Sendable {
  private struct State {
    var removed: Set<ProcessID> = []
    var unheard: Set<[UInt8]> = []
    var hasOverflowed = false
  }

  private let state = Mutex(State())
  /// Descriptors; -1 if they cannot be had.
  private let removals, complaints: Int32
  private let wake: WakePipe
  private let thread = Mutex<SignalFreeThread?>(nil)

  init(_ directory: String) throws(Failure) {
    wake = try WakePipe()
    removals = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    inotify_add_watch(removals, directory, UInt32(IN_DELETE | IN_MOVED_FROM))
    complaints = Self.socket(named: directory)
    thread.withLock { $0 = SignalFreeThread(for: self) { $0.run() } }
  }

  deinit {
    end()
    for file in [removals, complaints] where file >= 0 { close(file) }
  }

  private func end() {
    wake.ring()
    thread.withLock {
      $0?.join()
      $0 = nil
    }
  }

  /// Ends the watch.
  ///
  /// - Returns: the number of processes that are missing, and why.
  func finish() -> (processes: Int, problems: [String]) {
    end()
    takeAll()
    let state = state.withLock { $0 }
    var problems: [String] = []
    if removals < 0 {
      problems.append(
        "the run's directory could not be watched (see /proc/sys/fs/inotify): if files of processes were removed "
          + "there meanwhile, this is not known")
    }
    if !state.removed.isEmpty {
      problems.append(
        "files of \(CountText.text(state.removed.count, "process", "processes")) were removed from the run's directory "
          + "meanwhile: their calls are missing")
    }
    if !state.unheard.isEmpty {
      problems.append(
        "\(CountText.text(state.unheard.count, "instrumented process", "instrumented processes")) could not write to "
          + "the run's directory (another mount namespace or user?): their calls are missing; set TMPDIR to a "
          + "directory that they can write to, or use --no-rebuild")
    }
    if state.hasOverflowed {
      problems.append(
        "too many files were removed from the run's directory at once: calls may be missing")
    }
    let overflow = state.hasOverflowed ? 1 : 0
    return (state.removed.count + state.unheard.count + overflow, problems)
  }

  private func run() {
    while true {
      var files = [removals, complaints, wake.output].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&files, nfds_t(files.count), -1) > 0 || errno == EINTR else { return }
      if files[2].revents != 0 { return }
      takeAll()
    }
  }

  private func takeAll() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      while case let size = read(removals, buffer.baseAddress, buffer.count), size > 0 {
        note(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
      }
      while case let size = recv(complaints, buffer.baseAddress, 64, 0), size >= 0 {
        // Any user may send. More than these say nothing new: the recording is incomplete.
        state.withLock { state in
          if state.unheard.count < 1000 { state.unheard.insert(Array(buffer[..<min(size, 8)])) }
        }
      }
    }
  }

  /// Notes events of inotify(7).
  private func note(_ events: UnsafeRawBufferPointer) {
    let headSize = MemoryLayout<inotify_event>.size
    var place = 0
    while place + headSize <= events.count {
      let head = events.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
      let end = place + headSize + Int(head.len)
      let name = events[(place + headSize)..<end].prefix { $0 != 0 }
      state.withLock { state in
        if head.mask & UInt32(IN_Q_OVERFLOW) != 0 { state.hasOverflowed = true }
        // Files that are still being made have other names.
        if let process = TraceEntry.process(ofFile: String(decoding: name, as: UTF8.self)) {
          state.removed.insert(process)
        }
      }
      place = end
    }
  }

  /// The socket whose name `fl_report_missing` derives from the directory in the same way; -1 if it cannot be had.
  private static func socket(named directory: String) -> Int32 {
    let file = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard file >= 0 else { return -1 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = directory.utf8.suffix(100)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.baseAddress!.advanced(by: 1).copyMemory(from: Array(name), byteCount: name.count)
    }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + 1 + name.count
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, socklen_t(size)) == 0 }
    }
    if isBound { return file }
    close(file)
    return -1
  }
}
