import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The time that a client may take for each step of a request.
struct RequestPace: Sendable {
  /// Seconds until the first head is complete, TLS handshake included.
  var head = 10
  /// Seconds for sending a body, and for reading the answer. Extended while at least 1,000 bytes a second pass.
  var body = 30
  /// Seconds from one answer to the head of the next request.
  var idle = 60

  static let bytesPerSecond = 1000
  /// Seconds after which a connection that waits for its client is closed if all connections are in use. Long
  /// enough for taking most answers.
  static let patience: Int64 = 1
}

/// Closes connections of slow clients, and updates the connection table.
final class ConnectionClock: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let pace: RequestPace
  private let table: ConnectionTable
  private let monitor: DaemonMonitor
  private var progress = ConnectionProgress()
  private var step = ConnectionProgress.Step.head
  /// Begin of the step.
  private var since = NIODeadline.now()
  /// Bytes of bodies that were received, or handed to the connection, in this step.
  private var bytes = 0
  private var timer: Scheduled<Void>?
  private var isOpen = false

  init(pace: RequestPace, table: ConnectionTable, monitor: DaemonMonitor) {
    self.pace = pace
    self.table = table
    self.monitor = monitor
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { open(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    open(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    close(context)
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { close(context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { table.leave(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: progress.receivedHead()
    case .body(let buffer): if step == .body { bytes += buffer.readableBytes }
    case .end: progress.receivedEnd()
    }
    update(context)
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var promise = promise
    switch unwrapOutboundIn(data) {
    case .head(let head): if head.status.kind != .informational { progress.beganAnswer() }
    case .body(let buffer): bytes += buffer.readableBytes
    case .end:
      progress.endedAnswer()
      let taken = promise ?? context.eventLoop.makePromise()
      taken.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { _ in
        self.progress.tookAnswer()
        if self.isOpen { self.update(context) }
      }
      promise = taken
    }
    update(context)
    context.write(data, promise: promise)
  }

  private func open(_ context: ChannelHandlerContext) {
    guard !isOpen else { return }
    isOpen = true
    displace(table.open(context.channel))
    begin(.head, context)
  }

  private func close(_ context: ChannelHandlerContext) {
    isOpen = false
    timer?.cancel()
    timer = nil
    table.close(context.channel)
  }

  private func displace(_ channel: (any Channel)?) {
    guard let channel else { return }
    monitor.count(.displaced)
    channel.close(promise: nil)
  }

  private func update(_ context: ChannelHandlerContext) {
    if progress.step != step { begin(progress.step, context) }
  }

  private func begin(_ next: ConnectionProgress.Step, _ context: ChannelHandlerContext) {
    step = next
    since = .now()
    bytes = 0
    table.setWaiting(progress.isWaiting, context.channel)
    schedule(progress.isWaiting ? since + .seconds(RequestPace.patience) : nil, context)
  }

  /// - Parameter first: the time of a check before the deadline.
  private func schedule(_ first: NIODeadline?, _ context: ChannelHandlerContext) {
    timer?.cancel()
    let next = [first, deadline(context)].compactMap { $0 }.min()
    timer = next.map { next in
      context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: next) {
        self.check(context)
      }
    }
  }

  private func check(_ context: ChannelHandlerContext) {
    timer = nil
    guard let deadline = deadline(context), deadline <= .now() else {
      if progress.isWaiting { displace(table.makeRoom()) }
      return schedule(nil, context)
    }
    if step != .idle { monitor.count(.slow) }
    context.close(promise: nil)
  }

  private func deadline(_ context: ChannelHandlerContext) -> NIODeadline? {
    switch step {
    case .head: since + .seconds(Int64(pace.head))
    case .idle: since + .seconds(Int64(pace.idle))
    case .body: since + .seconds(Int64(pace.body + bytes / RequestPace.bytesPerSecond))
    case .answer:
      since + .seconds(Int64(pace.body + taken(context) / RequestPace.bytesPerSecond))
    case .work: nil
    }
  }

  /// Bytes of the answers of this step that the client took.
  private func taken(_ context: ChannelHandlerContext) -> Int {
    let kept = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    return max(0, bytes - (kept ?? 0))
  }
}
