import FirstlightModel
import Synchronization

@testable import ClickHouseStore
@testable import HTTPTransport

/// A server that answers statements by their beginnings, and keeps what it was sent.
final class ScriptedServer: Sendable {
  private struct State {
    var answers: [(beginning: String, answer: HTTPAnswer)] = []
    var requests: [HTTPRequest] = []
  }

  private let state = Mutex(State())

  /// Rows for statements that begin so; for those that nothing was said of the answer is empty. What was
  /// said last holds.
  func answer(_ beginning: String, _ fill: (inout RowWriter) -> Void) {
    var rows = RowWriter()
    fill(&rows)
    answer(beginning, status: 200, rows.bytes)
  }

  func answer(_ beginning: String, status: Int, _ body: [UInt8]) {
    let answer = HTTPAnswer.made(status, body)
    state.withLock { $0.answers.append((beginning, answer)) }
  }

  /// Refuses with an error as ClickHouse words it.
  func refuse(_ beginning: String, code: Int) {
    let text = "Code: \(code), e.displayText() = DB::Exception: no (version 18.16.1)\n"
    answer(beginning, status: 500, Array(text.utf8))
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }

  func server(_ address: String = "http://db") throws -> ClickHouseServer {
    let address = try ClickHouseAddress(address)
    return ClickHouseServer(address.servers[0], address: address) {
      request throws(Failure) in self.take(request)
    }
  }

  private static func text(_ request: HTTPRequest) -> String {
    String(decoding: request.body ?? [], as: UTF8.self)
  }

  private func take(_ request: HTTPRequest) -> HTTPAnswer {
    state.withLock { state in
      state.requests.append(request)
      let text = Self.text(request)
      return state.answers.last { text.hasPrefix($0.beginning) }?.answer ?? .made(200, [])
    }
  }
}

extension HTTPAnswer {
  static func made(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
    HTTPAnswer(status: status, headers: [], body: body)
  }
}
