import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Serves connections to a socket that already listens.
///
/// Hummingbird's own server binds an address itself. The daemon has to know that it can listen before it opens a
/// store, and another program must not take the address in between.
struct HTTPService<Connection: ServerChildChannel>: Service {
  /// The listening socket, which this service closes.
  let socket: CInt
  /// Most connections at a time.
  let limit: Int
  let connection: Connection
  let logger: Logger

  func run() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let quiescing = ServerQuiescingHelper(group: group)
    let server = try await ServerBootstrap(group: group)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            AvailableConnectionsChannelHandler(maxConnections: limit),
            quiescing.makeServerChannelHandler(channel: channel))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(socket) { channel in connection.setup(channel: channel, logger: logger) }
    logger.info("listening", metadata: ["port": "\(ListenAddress.port(of: socket) ?? 0)"])
    try await withGracefulShutdownHandler {
      try await withThrowingDiscardingTaskGroup { tasks in
        try await server.executeThenClose { connections in
          for try await value in connections {
            tasks.addTask { await connection.handle(value: value, logger: logger) }
          }
        }
      }
    } onGracefulShutdown: {
      quiescing.initiateShutdown(promise: nil)
    }
  }
}

/// The time in a `Date` header (RFC 9110, section 5.6.7).
enum HTTPDate {
  static func now() -> String {
    var (seconds, parts) = (time(nil), tm())
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
