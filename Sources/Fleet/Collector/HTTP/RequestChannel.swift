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

/// Hummingbird's HTTP channel, extended by facts that only HTTP/1 requests have.
struct RequestChannel: ServerChildChannel {
  let base: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      // After this handler, requests have no version any more.
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(DefaultHost(), position: .before(codec))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Adds the local address as host to HTTP/1.0 requests without a Host line (RFC 9112, section 3.3): only later
/// versions require one.
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
      name: "Host", value: host.containsUTF8(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
