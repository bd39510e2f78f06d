import FirstlightModel
import Glibc
import SystemSupport

/// A small HTTP/1.1 server on a free port of the loopback device, for the program that is measured.
///
/// Not safe to share: `serve` runs on one thread, and the owner joins that thread before it releases this.
/// Until then connections stay open, so that requests without an answer wait.
final class LoopbackServer {
  struct Reply {
    /// Empty: the request waits.
    var bytes: [UInt8] = []
    /// Whether later requests wait.
    var isLast = false

    init() {}

    init(
      _ status: String, _ headers: [(String, String)] = [], _ body: [UInt8] = [],
      isLast: Bool = false
    ) {
      let headers = headers + [("Content-Length", "\(body.count)")]
      let head = headers.map { "\($0): \($1)\r\n" }.joined()
      bytes = Array("HTTP/1.1 \(status)\r\n\(head)\r\n".utf8) + body
      self.isLast = isLast
    }
  }

  let port: UInt16
  private let listener: Int32
  private var connections: [Int32: RequestParser] = [:]
  private var isOver = false

  /// Further connections wait until one of these closes.
  private static let mostConnections = 32

  /// - Throws: `Failure` of kind `system`.
  init() throws(Failure) {
    var address = sockaddr_in(
      sin_family: sa_family_t(AF_INET), sin_port: 0,
      sin_addr: in_addr(s_addr: UInt32(INADDR_LOOPBACK).bigEndian),
      sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let listener = socket(AF_INET, Int32(kind), Int32(IPPROTO_TCP))
    let listens = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        listener >= 0 && bind(listener, $0, size) == 0 && listen(listener, SOMAXCONN) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard listens else {
      let error = errno
      close(listener)
      throw Failure(.system, "cannot listen on loopback: \(ErrorText.of(error))")
    }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { for descriptor in connections.keys + [listener] { close(descriptor) } }

  /// Serves until the last reply, or until `stop` is readable.
  ///
  /// - Parameter answer: called with each request; nil for one that is malformed.
  func serve(stop: Int32, answer: (RequestParser.Request?) -> Reply) {
    while !isOver {
      var watched = [stop] + connections.keys
      if connections.count < Self.mostConnections { watched.append(listener) }
      guard let ready = Self.wait(for: watched), !ready.contains(stop) else { return }
      for descriptor in ready where !isOver {
        if descriptor == listener {
          accept()
        } else if !receive(descriptor, stop, answer) {
          close(descriptor)
          connections[descriptor] = nil
        }
      }
    }
  }

  private func accept() {
    let connection = Glibc.accept(listener, nil, nil)
    guard connection >= 0 else { return }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    var yes: Int32 = 1
    setsockopt(
      connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    connections[connection] = RequestParser()
  }

  /// Reads from a connection; false if it is to be closed.
  private func receive(
    _ connection: Int32, _ stop: Int32, _ answer: (RequestParser.Request?) -> Reply
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { room in
      let count = recv(connection, room.baseAddress, room.count, 0)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      guard count > 0 else { return false }
      do throws(RequestParser.Malformed) {
        let requests = try connections[connection]!.take(room[..<count])
        if connections[connection]!.awaitsContinue {
          send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), connection, stop)
        }
        for request in requests where !isOver {
          let reply = answer(request)
          isOver = reply.isLast
          send(reply.bytes, connection, stop)
          if request.closes, !isOver, !reply.bytes.isEmpty { return false }
        }
        return true
      } catch {
        isOver = answer(nil).isLast
        return false
      }
    }
  }

  /// Sends all bytes, unless the program closes the connection or `stop` becomes readable.
  private func send(_ bytes: [UInt8], _ connection: Int32, _ stop: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else {
        guard count < 0, errno == EAGAIN || errno == EINTR,
          let ready = Self.wait(for: [stop, connection], POLLOUT), !ready.contains(stop)
        else { return }
      }
    }
  }

  /// The descriptors that are ready; nil on an error.
  ///
  /// - Parameter events: the events to wait for. The first descriptor always waits to be readable.
  private static func wait(for descriptors: [Int32], _ events: Int32 = POLLIN) -> [Int32]? {
    var watched = descriptors.enumerated().map {
      pollfd(fd: $1, events: Int16($0 == 0 ? POLLIN : events), revents: 0)
    }
    while poll(&watched, nfds_t(watched.count), -1) < 0 { guard errno == EINTR else { return nil } }
    return watched.filter { $0.revents != 0 }.map(\.fd)
  }
}
