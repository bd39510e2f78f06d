import FirstlightModel
import Synchronization

/// Sends HTTP requests through libcurl, which is loaded for the first request.
///
/// Proxies from the environment are used as in curl, except for loopback addresses. Redirects are
/// not followed. Only GET and HEAD requests are repeated automatically.
package final class HTTPTransport: Sendable {
  /// Limits on the cost that a server can cause.
  package struct Options: Sendable {
    package var tls: TLSFiles
    /// Time limit for a connection, seconds.
    package var connectTimeout: Int64
    /// Time limit without a byte from the server, seconds.
    package var readTimeout: Int64

    package init(tls: TLSFiles = TLSFiles(), connectTimeout: Int64 = 10, readTimeout: Int64 = 60) {
      self.tls = tls
      self.connectTimeout = connectTimeout
      self.readTimeout = readTimeout
    }
  }

  private let options: Options
  /// Unused handles, which keep the connections of earlier requests open.
  private let idle = Mutex<[HTTPHandle]>([])
  /// Maximum number of idle handles; further ones are closed.
  private static let mostIdle = 8

  /// - Throws: `Failure` if a file of `tls` cannot be read.
  package init(_ options: Options = Options()) throws(Failure) {
    try options.tls.check()
    self.options = options
  }

  /// Sends a request and reads the whole answer.
  ///
  /// - Throws: `.unavailable`, naming the host, without a complete answer: the host was not reached, it sent more
  ///   than the limit, or the connection broke, stalled or gave a wrong length. An error status is an answer.
  ///   `.usage` if the address is invalid.
  package func send(_ request: HTTPRequest) async throws(Failure) -> HTTPAnswer {
    guard let address = HTTPAddress(request.url) else {
      throw Failure(
        .usage, "\"\(request.url)\" is not an address", advice: "write it as https://HOST:PORT")
    }
    let handle: HTTPHandle
    if let kept = idle.withLock({ $0.popLast() }) {
      handle = kept
    } else {
      handle = try HTTPHandle()
    }
    let exchange = HTTPExchange(limit: request.answerLimit)
    handle.start(request, to: address, options: options, for: exchange)
    let (ending, body) = await withTaskCancellationHandler {
      await exchange.answer()
    } onCancel: {
      exchange.giveUp()
    }
    guard let reason = ending.problem else {
      idle.withLock { if $0.count < Self.mostIdle { $0.append(handle) } }
      return HTTPAnswer(status: ending.status, headers: ending.headers, body: body)
    }
    throw Failure(.unavailable, "\(address.host): no answer: \(reason)")
  }
}
