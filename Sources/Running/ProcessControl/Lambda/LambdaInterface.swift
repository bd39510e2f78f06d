import FirstlightModel
import Foundation
import Glibc
import SystemSupport
import TextFormatting

/// A local stand-in for Lambda's runtime interface (version 2018-06-01): hands out one event, and takes
/// one answer. Everything after that waits, as in a function without further events.
///
/// Not safe to share: `serve` runs on one thread, and the owner joins that thread before it releases this.
final class LambdaInterface {
  /// What the program has done.
  enum Step {
    case askedForEvent, answered
    /// In the past tense, without a subject.
    case refused(String)
  }

  private let event: [UInt8]
  private let listener: Int32
  private let port: UInt16
  private let request = UUID().uuidString.lowercased()
  private var connections: [Int32: RequestParser] = [:]
  private var hasAsked = false
  private var isOver = false

  /// More wait until one of these is closed.
  private static let mostConnections = 32
  /// The largest event that Lambda hands to a function.
  private static let mostBytes = 6 << 20
  private static let function = "firstlight"
  /// The longest time that Lambda gives a function, seconds.
  private static let longest = 900.0
  private static let interface = "/2018-06-01/runtime/"

  /// - Parameter file: the event; nil for `{}`.
  /// - Throws: `Failure` of kind `noInput` or `data` if there is no such event, else `system`.
  init(event file: String?) throws(Failure) {
    event = try file.map { file throws(Failure) in try Self.read(file) } ?? Array("{}".utf8)
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

  /// The address of this interface, and what else Lambda sets and runtimes demand unless it is set already.
  func environment(besides set: [String: String]) -> [String: String] {
    let usual = [
      "AWS_LAMBDA_FUNCTION_NAME": Self.function, "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
      "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "_HANDLER": "\(Self.function).handler",
    ].filter { set[$0.key] == nil && getenv($0.key) == nil }
    return usual.merging(["AWS_LAMBDA_RUNTIME_API": "127.0.0.1:\(port)"]) { $1 }
  }

  private static func read(_ file: String) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileContents.read(file) } catch {
      throw Failure(.noInput, "\(file): cannot read the event: \(error.text)")
    }
    guard bytes.count <= mostBytes else {
      throw Failure(.data, "\(file): the event is larger than the 6 MiB that Lambda allows")
    }
    let json = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    guard json != nil else { throw Failure(.data, "\(file): the event is not JSON") }
    return bytes
  }

  /// Serves until the program has answered or refused, or until `stop` is readable.
  ///
  /// - Parameter onStep: called before the program gets to know that its request was received.
  func serve(stop: Int32, onStep: (Step) -> Void) {
    while !isOver {
      var watched = [stop] + connections.keys
      if connections.count < Self.mostConnections { watched.append(listener) }
      guard let ready = Self.wait(for: watched), !ready.contains(stop) else { return }
      for descriptor in ready where !isOver {
        if descriptor == listener {
          accept()
        } else if !receive(descriptor, stop, onStep) {
          close(descriptor)
          connections[descriptor] = nil
        }
      }
    }
  }

  /// The descriptors that are readable; nil on an error.
  private static func wait(for descriptors: [Int32], _ events: Int32 = POLLIN) -> [Int32]? {
    var watched = descriptors.enumerated().map {
      pollfd(fd: $1, events: Int16($0 == 0 ? POLLIN : events), revents: 0)
    }
    while poll(&watched, nfds_t(watched.count), -1) < 0 { guard errno == EINTR else { return nil } }
    return watched.filter { $0.revents != 0 }.map(\.fd)
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
  private func receive(_ connection: Int32, _ stop: Int32, _ onStep: (Step) -> Void) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { room in
      let count = recv(connection, room.baseAddress, room.count, 0)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      guard count > 0 else { return false }
      do throws(RequestParser.Malformed) {
        let requests = try connections[connection]!.take(room[..<count])
        if connections[connection]!.awaitsContinue {
          send("HTTP/1.1 100 Continue\r\n\r\n".utf8, connection, stop)
        }
        for request in requests where !isOver {
          answer(request, connection, stop, onStep)
          if request.closes, !isOver { return false }
        }
        return true
      } catch {
        isOver = true
        onStep(.refused("sent something other than HTTP/1.1 to Lambda's runtime interface"))
        return false
      }
    }
  }

  private func answer(
    _ request: RequestParser.Request, _ connection: Int32, _ stop: Int32, _ onStep: (Step) -> Void
  ) {
    let call =
      request.path.hasPrefix(Self.interface) ? request.path.dropFirst(Self.interface.count) : ""
    if request.method == "GET", call == "invocation/next" {
      // There is no second event: the request waits until the program is ended.
      guard !hasAsked else { return }
      hasAsked = true
      onStep(.askedForEvent)
      let head = Self.head("200 OK", event.count, eventHeaders)
      return send(Array(head.utf8) + event, connection, stop)
    }
    guard request.method == "POST", let step = step(call, request) else {
      return send(Self.head("404 Not Found", 0).utf8, connection, stop)
    }
    isOver = true
    onStep(step)
    send(Self.head("202 Accepted", 0).utf8, connection, stop)
  }

  /// The meaning of a POST; nil if the interface has none for it.
  private func step(_ call: Substring, _ request: RequestParser.Request) -> Step? {
    if call == "init/error" {
      return .refused("reported an error in its initialization\(Self.error(request))")
    }
    let words = call.split(separator: "/", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "invocation", ["response", "error"].contains(words[2])
    else { return nil }
    guard hasAsked else { return .refused("answered before it had asked for a Lambda event") }
    guard words[1] == self.request else {
      return .refused("answered a Lambda event with another request id than it was given")
    }
    // A streamed response reports an error in its trailers.
    if words[2] == "error" || request.headers[Self.errorType] != nil {
      return .refused("answered its Lambda event with an error\(Self.error(request))")
    }
    return .answered
  }

  private static let errorType = "lambda-runtime-function-error-type"

  /// The error in a request, as the end of a sentence; empty if the request names none.
  private static func error(_ request: RequestParser.Request) -> String {
    struct Body: Decodable { var errorType, errorMessage: String? }
    let body = try? JSONDecoder().decode(Body.self, from: Data(request.body))
    let words = [body?.errorType ?? request.headers[errorType], body?.errorMessage]
    let text = words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    return text.isEmpty ? "" : ": " + PrintableText.of(String(text.prefix(300)))
  }

  private var eventHeaders: [(String, String)] {
    let now = Clock.realtime()
    let digits = self.request.filter { $0 != "-" }
    let begin = String(Int(now), radix: 16)
    return [
      ("Content-Type", "application/json"), ("Lambda-Runtime-Aws-Request-Id", request),
      ("Lambda-Runtime-Deadline-Ms", "\(Int((now + Self.longest) * 1000))"),
      (
        "Lambda-Runtime-Invoked-Function-Arn",
        "arn:aws:lambda:us-east-1:000000000000:function:\(Self.function)"
      ),
      (
        "Lambda-Runtime-Trace-Id",
        "Root=1-\(begin)-\(digits.prefix(24));Parent=\(digits.suffix(16));Sampled=0"
      ),
    ]
  }

  private static func head(
    _ status: String, _ length: Int, _ headers: [(String, String)] = []
  ) -> String {
    let headers = headers + [("Content-Length", "\(length)")]
    return "HTTP/1.1 \(status)\r\n" + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
  }

  /// Sends all bytes, unless the program closes the connection or `stop` becomes readable.
  private func send(_ bytes: some Collection<UInt8>, _ connection: Int32, _ stop: Int32) {
    var rest = Array(bytes)[...]
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
}
