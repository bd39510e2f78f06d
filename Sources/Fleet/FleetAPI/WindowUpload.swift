import Dispatch
import FirstlightModel
import FleetModel
import Glibc
import Synchronization
import SystemSupport
import TextFormatting

/// Sends the windows of running watches to a daemon.
///
/// Each watch is a publisher: each of its windows has all calls so far, and a higher version than the one before. So
/// only the last window of each watch waits on disk while the daemon is away, and nothing counts twice.
package final class WindowUpload: Sendable {
  private let client: FleetClient
  private let labels: FleetLabels
  private let folder: WindowFolder
  private let state = Mutex(State())

  private struct State {
    var watch: Int?
    var secret = LedgerSecret()
    var version: UInt64 = 0
    /// The last upload. Each begins after the one before it.
    var sending: Task<Void, Never>?
  }

  /// - Throws: `.cannotCreate` if windows cannot wait on disk; `.usage` as `FleetClient`.
  package init(to url: String, authorities: String?, labels: FleetLabels) throws(Failure) {
    client = try FleetSource.client(url: url, authorities: authorities)
    self.labels = labels
    folder = try WindowFolder(for: client.url)
  }

  /// Saves a window, and sends it in the background.
  ///
  /// - Parameters:
  ///   - profile: all calls of this watch so far, without those of other watches.
  ///   - watch: the number of the watch. A new number begins a new publisher.
  package func add(_ profile: Profile, of watch: Int) throws(Failure) {
    let (secret, version) = state.withLock { state in
      if state.watch != watch {
        state.secret = LedgerSecret()
        (state.watch, state.version) = (watch, 0)
      }
      state.version += 1
      return (state.secret, state.version)
    }
    let states = try profile.watchStates(secret, version: version, labels: labels)
    for (part, batch) in states.batches.enumerated() {
      try folder.put(batch, named: "\(watch)-\(part)")
    }
    let text = Self.text(profile)
    state.withLock { state in
      let before = state.sending
      state.sending = Task.detached {
        await before?.value
        await self.send(text)
      }
    }
  }

  /// Waits until all windows are sent, or sending has failed.
  ///
  /// - Throws: `.unavailable` if windows wait on disk.
  package func finish() throws(Failure) {
    let done = DispatchSemaphore(value: 0)
    let sending = state.withLock { $0.sending }
    Task.detached {
      await sending?.value
      done.signal()
    }
    _ = done.wait(timeout: .now() + Self.lastWait)
    let waiting = folder.close()
    guard waiting > 0 else { return }
    throw Failure(
      .unavailable,
      "\(CountText.text(waiting, "window")) not sent, \(waiting == 1 ? "it waits" : "they wait") in "
        + folder.path,
      advice: "the next record --upload to \(client.url) sends \(waiting == 1 ? "it" : "them")")
  }

  /// Seconds for the last upload. Less than service managers wait before they kill a service.
  private static let lastWait = 60.0

  private func send(_ text: String) async {
    var sent = 0
    for window in folder.waiting {
      do {
        let receipt = try await client.upload(batch: Deflate.compress(window.bytes))
        for refused in receipt.refused { Terminal.report("warning: refused: \(refused.reason)") }
        guard receipt.early.isEmpty else {
          Terminal.report(
            "warning: not taken: by the clock of \(client.url) this day has not begun; compare the clocks"
          )
          continue
        }
        folder.remove(window)
        sent += 1
      } catch {
        let failure = (error as? UploadError)?.failure ?? error as? Failure
        Terminal.report(
          "warning: not sent, kept to be sent later: "
            + (failure.map { "\($0)" } ?? "\(error)"))
        return
      }
    }
    let more = sent > 1 ? " (\(CountText.number(sent)) waited)" : ""
    if sent > 0 { Terminal.report("sent the window to \(client.url): \(text)\(more)") }
  }

  /// `2026-11-26 14:00:00 UTC to 2026-11-26 15:00:00 UTC, 312 functions called`
  private static func text(_ profile: Profile) -> String {
    let called = profile.builds.reduce(0) { $0 + $1.coverage.count(where: \.isCalled) }
    let (start, end) = (profile.runs.first?.startedAt ?? 0, profile.runs.first?.endedAt ?? 0)
    return "\(TimeText.moment(start)) to \(TimeText.moment(end)), "
      + "\(CountText.text(called, "function")) called"
  }
}
