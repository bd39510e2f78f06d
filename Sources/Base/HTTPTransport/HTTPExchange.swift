import Dispatch
import Synchronization

/// Passes one answer, part by part, from the thread that transfers it to the task that reads it.
/// The thread waits until each part has been read.
final class HTTPExchange: Sendable {
  /// The end of the transfer.
  struct Ending: Sendable {
    var status = 0
    var headers: [(String, String)] = []
    /// The reason for an incomplete answer; nil if it is complete.
    var problem: String?
  }

  private struct State {
    var part: [UInt8]?
    var ending: Ending?
    var isGivenUp = false
    var taker: CheckedContinuation<[UInt8]?, Never>?
  }

  private let state = Mutex(State())
  private let taken = DispatchSemaphore(value: 0)

  /// Whether the receiver rejected the rest of the answer.
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

  /// The end of the transfer, valid once all parts have been read.
  var ending: Ending {
    state.withLock { $0.ending ?? Ending(problem: "the request was given up") }
  }

  /// Passes a part to the reader, and waits until it has been read.
  /// - Returns: whether the reader wants more.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let part = Array(bytes)
    let (taker, isGivenUp) = state.withLock { state in
      let taker = state.taker
      state.taker = nil
      if taker == nil { state.part = part }
      return (taker, state.isGivenUp)
    }
    if isGivenUp { return false }
    if let taker {
      taker.resume(returning: part)
    } else {
      taken.wait()
    }
    return !self.isGivenUp
  }

  func finish(_ ending: Ending) {
    let taker = state.withLock { state in
      state.ending = ending
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume(returning: nil)
  }

  /// The next part; nil at the end, or after the exchange was given up.
  func next() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      let (part, isOver) = state.withLock { state in
        let part = state.part
        state.part = nil
        let isOver = part == nil && (state.ending != nil || state.isGivenUp)
        if part == nil, !isOver { state.taker = continuation }
        return (part, isOver)
      }
      if let part {
        taken.signal()
        continuation.resume(returning: part)
      } else if isOver {
        continuation.resume(returning: nil)
      }
    }
  }

  /// Rejects the rest: the transfer ends soon.
  func giveUp() {
    let taker = state.withLock { state in
      state.isGivenUp = true
      defer { state.taker = nil }
      return state.taker
    }
    taken.signal()
    taker?.resume(returning: nil)
  }
}

/// An answer, held in memory as a whole.
package struct HTTPAnswer: Sendable {
  package var status: Int
  /// Names in lower case.
  package var headers: [(String, String)]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of the first header with a name, ignoring case.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.0 == name }?.1
  }
}

/// A request, held in memory as a whole.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: String
  package var headers: [(String, String)]
  package var body: [UInt8]?
  /// Seconds until the answer's head must arrive.
  package var timeout: Int64
  /// Maximum size of the answer, bytes.
  package var answerLimit: Int

  package init(
    _ method: String, _ url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    timeout: Int64 = 60, answerLimit: Int = 256 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.answerLimit = answerLimit
  }
}
