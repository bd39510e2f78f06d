import BuildReader
import FirstlightModel
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// HTTP as Hummingbird has it, with the facts about a request that only HTTP/1 has.
struct RequestChannel: ServerChildChannel {
  let base: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      // Behind it a request has no version any more.
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(DefaultHost(), position: .before(codec))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Gives requests of HTTP/1.0 without a Host line the address that they came to (RFC 9112, section 3.3): only
/// later versions have to name a host.
private final class DefaultHost: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data),
      (head.version.major, head.version.minor) < (1, 1),
      !head.headers.contains(name: "Host"), let address = context.localAddress,
      let host = address.ipAddress, let port = address.port
    else { return context.fireChannelRead(data) }
    head.headers.add(
      name: "Host", value: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// Takes in what a client sends, within limits of size and time.
enum RequestBytes {
  /// The whole body.
  /// - Parameter share: what it takes up of the memory for all of them.
  /// - Throws: `HTTPError` 413 if it is longer, 408 if it takes too long, and as `BodyBudget.take`.
  static func collect(
    _ request: Request, limit: Int, seconds: Int, in budget: BodyBudget, _ share: BodyBudget.Share
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await take(request, limit: limit, seconds: seconds) { part in
      try budget.take(part.count, for: share)
      // Reserved at once, since growing copies the array and briefly takes the memory twice. Reserved memory
      // takes nothing until it is written, but a sender's length is trusted only after its first MiB.
      if bytes.count < Self.first, bytes.count + part.count >= Self.first {
        bytes.reserveCapacity(length(request) ?? limit)
      }
      bytes.append(contentsOf: part)
    }
    budget.received(share)
    return bytes
  }

  /// Bytes after which a sender's word on how much there is counts.
  private static let first = 1 << 20

  /// How much its sender says there is.
  static func length(_ request: Request) -> Int? {
    request.headers[.contentLength].flatMap { Int($0) }
  }

  /// The whole body into a file.
  static func save(
    _ request: Request, to file: ScratchFile, limit: Int, seconds: Int
  ) async throws {
    try await take(request, limit: limit, seconds: seconds) { try file.append($0) }
  }

  private static func take(
    _ request: Request, limit: Int, seconds: Int, _ body: ([UInt8]) throws -> Void
  ) async throws {
    if let length = length(request), length > limit {
      throw HTTPError(.contentTooLarge)
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    var count = 0
    // The server ends connections that say nothing at all; this ends those that say too little.
    for try await buffer in request.body {
      count += buffer.readableBytes
      guard count <= limit else { throw HTTPError(.contentTooLarge) }
      guard ContinuousClock.now < deadline else { throw HTTPError(.requestTimeout) }
      try body(Array(buffer.readableBytesView))
    }
  }
}
