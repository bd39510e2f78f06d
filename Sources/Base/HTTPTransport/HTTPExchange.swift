import FirstlightModel
import Synchronization

/// Collects one answer on the thread that transfers it, for the task that waits for it.
final class HTTPExchange: Sendable {
  /// The end of the transfer.
  struct Ending: Sendable {
    var status = 0
    var headers: [(String, String)] = []
    /// The reason for an incomplete answer; nil if it is complete.
    var problem: String?
  }

  private struct State {
    var body: [UInt8] = []
    var ending: Ending?
    var isGivenUp = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// Maximum size of the body, bytes.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Whether the rest of the answer is rejected.
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

  /// Adds a part of the body.
  /// - Returns: whether more is wanted.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if state.isGivenUp { return false }
      guard state.body.count + bytes.count <= limit else {
        state.ending = Ending(problem: "more than \(limit) bytes")
        return false
      }
      state.body.append(contentsOf: bytes)
      return true
    }
  }

  func finish(_ ending: Ending) {
    let waiter = state.withLock { state in
      state.ending = state.ending ?? ending
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for the end of the transfer, or until it is given up.
  func answer() async -> (ending: Ending, body: [UInt8]) {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        let isOver = state.ending != nil || state.isGivenUp
        if !isOver { state.waiter = continuation }
        return isOver
      }
      if isOver { continuation.resume() }
    }
    return state.withLock { state in
      (state.ending ?? Ending(problem: "the request was given up"), state.body)
    }
  }

  /// Rejects the rest: the transfer ends soon.
  func giveUp() {
    let waiter = state.withLock { state in
      state.isGivenUp = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
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
