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
}

/// Closes connections of slow clients, and updates the connection table.
final class ConnectionClock: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum Step {
    case head
    case body(bytes: Int)
    /// The daemon works on the answer, without time limit.
    case work
    case answer(bytes: Int)
    case idle
  }

  private let pace: RequestPace
  private let table: ConnectionTable
  private let monitor: DaemonMonitor
  private var step = Step.head
  private var since = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var isOpen = false
  /// Whether the head of a request has arrived, but not its end.
  private var isReading = false
  /// Requests with an unfinished answer.
  private var unanswered = 0

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
    case .head:
      isReading = true
      unanswered += 1
      begin(.body(bytes: 0), context)
    case .body(let buffer):
      if case .body(let bytes) = step { step = .body(bytes: bytes + buffer.readableBytes) }
    case .end:
      isReading = false
      begin(unanswered > 0 ? .work : .idle, context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head:
      if case .work = step { begin(.answer(bytes: 0), context) }
    case .body(let buffer):
      if case .answer(let bytes) = step { step = .answer(bytes: bytes + buffer.readableBytes) }
    case .end:
      unanswered -= 1
      if isReading {
        // The rest of the request is read and ignored, so other connections may take this place.
        table.setWaiting(unanswered == 0, context.channel)
      } else {
        begin(unanswered > 0 ? .work : .idle, context)
      }
    }
    context.write(data, promise: promise)
  }

  private func open(_ context: ChannelHandlerContext) {
    guard !isOpen else { return }
    isOpen = true
    if let other = table.open(context.channel) {
      monitor.count(.displaced)
      other.close(promise: nil)
    }
    begin(.head, context)
  }

  private func close(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    table.close(context.channel)
  }

  private func begin(_ next: Step, _ context: ChannelHandlerContext) {
    step = next
    since = .now()
    switch next {
    // A client may take hours to read an answer.
    case .head, .idle, .answer: table.setWaiting(true, context.channel)
    case .body, .work: table.setWaiting(false, context.channel)
    }
    schedule(context)
  }

  private func schedule(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = deadline.map { deadline in
      context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: deadline) {
        self.check(context)
      }
    }
  }

  private func check(_ context: ChannelHandlerContext) {
    timer = nil
    guard let deadline else { return }
    guard deadline <= .now() else { return schedule(context) }
    if case .idle = step {} else { monitor.count(.slow) }
    context.close(promise: nil)
  }

  private var deadline: NIODeadline? {
    switch step {
    case .head: since + .seconds(Int64(pace.head))
    case .idle: since + .seconds(Int64(pace.idle))
    case .body(let bytes), .answer(let bytes):
      since + .seconds(Int64(pace.body + bytes / RequestPace.bytesPerSecond))
    case .work: nil
    }
  }
}
