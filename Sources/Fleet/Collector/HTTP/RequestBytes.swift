import BuildReader
import FirstlightModel
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Reads request bodies, within limits of size and time.
///
/// Senders that wait for it (`Expect: 100-continue`) are asked for the body only now, after they were admitted.
enum RequestBytes {
  /// Reads the whole body into memory.
  /// - Parameter share: the batch's share of the memory budget.
  /// - Throws: `HTTPError` 413 if the body is too long, 408 if it takes too long, and as `BodyBudget.take`.
  static func collect(
    _ request: Request, _ context: APIContext, limit: Int, seconds: Int, in budget: BodyBudget,
    _ share: BodyBudget.Share
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await take(request, context, limit: limit, seconds: seconds) { part in
      try budget.take(part.count, for: share)
      // Reserves the memory at once, because a growing array is copied and briefly takes twice its size.
      // Reserved memory costs nothing until it is written, but the stated length is trusted only after the
      // first MiB.
      if bytes.count < Self.first, bytes.count + part.count >= Self.first {
        bytes.reserveCapacity(length(request) ?? limit)
      }
      bytes.append(contentsOf: part)
    }
    budget.received(share)
    return bytes
  }

  /// The number of bytes after which the stated length is trusted.
  private static let first = 1 << 20

  /// The length that the sender states.
  static func length(_ request: Request) -> Int? {
    request.headers[.contentLength].flatMap { Int($0) }
  }

  /// Writes the whole body to a file.
  static func save(
    _ request: Request, _ context: APIContext, to file: ScratchFile, limit: Int, seconds: Int
  ) async throws {
    try await take(request, context, limit: limit, seconds: seconds) { try file.append($0) }
  }

  private static func take(
    _ request: Request, _ context: APIContext, limit: Int, seconds: Int,
    _ body: ([UInt8]) throws -> Void
  ) async throws {
    if let length = length(request), length > limit {
      throw HTTPError(.contentTooLarge)
    }
    if request.headers[.expect]?.lowercased() == "100-continue" {
      let head = HTTPResponsePart.head(HTTPResponse(status: .continue))
      try await context.channel.writeAndFlush(head)
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    var count = 0
    // The server closes silent connections; this closes connections that are too slow.
    for try await buffer in request.body {
      count += buffer.readableBytes
      guard count <= limit else { throw HTTPError(.contentTooLarge) }
      guard ContinuousClock.now < deadline else { throw HTTPError(.requestTimeout) }
      try body(Array(buffer.readableBytesView))
    }
  }
}
