import FirstlightHTTP
import FirstlightModel
import Foundation

/// Transfers one request at a time on its own thread, and keeps connections open for the next one.
final class HTTPHandle: @unchecked Sendable {
  private let handle: OpaquePointer

  /// - Throws: `.unavailable` if there is no libcurl on this machine.
  init() throws(Failure) {
    var why = [CChar](repeating: 0, count: 256)
    guard let handle = fl_http_open(&why) else {
      throw Failure(
        .unavailable, String(decoding: why.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
    }
    self.handle = handle
  }

  deinit { fl_http_close(handle) }

  /// Begins a transfer, and finishes the exchange at its end.
  func start(
    _ request: HTTPRequest, to address: HTTPAddress, options: HTTPTransport.Options,
    for exchange: HTTPExchange
  ) {
    let thread = Thread { [self] in
      exchange.finish(send(request, to: address, options: options, for: exchange))
    }
    thread.stackSize = 1 << 19
    thread.start()
  }

  /// The lines of an answer's head.
  private final class Head {
    let exchange: HTTPExchange
    var headers: [(String, String)] = []

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func take(_ line: Substring) {
      // Another head follows 100 Continue.
      if line.begins(with: "HTTP/") { headers = [] }
      guard let (name, value) = line.cut(at: ":") else { return }
      headers.append((name.lowercased(), String(value.trimmed)))
    }
  }

  private func send(
    _ request: HTTPRequest, to address: HTTPAddress, options: HTTPTransport.Options,
    for exchange: HTTPExchange
  ) -> HTTPExchange.Ending {
    let head = Head(exchange)
    var wanted = fl_http_request()
    wanted.connect_timeout = Int(options.connectTimeout)
    wanted.head_timeout = Int(request.timeout)
    wanted.idle_timeout = Int(options.readTimeout)
    wanted.is_direct = address.isLoopback
    wanted.context = Unmanaged.passUnretained(head).toOpaque()
    wanted.take_head = { context, bytes, count in
      let line = UnsafeRawBufferPointer(start: bytes, count: count)
      Unmanaged<Head>.fromOpaque(context!).takeUnretainedValue().take(
        String(decoding: line, as: UTF8.self).prefix(upToAny: "\r\n"))
    }
    wanted.take_body = { context, bytes, count in
      Unmanaged<Head>.fromOpaque(context!).takeUnretainedValue().exchange.put(
        UnsafeRawBufferPointer(start: bytes, count: count))
    }
    wanted.is_cancelled = {
      Unmanaged<Head>.fromOpaque($0!).takeUnretainedValue().exchange.isGivenUp
    }
    let headers = request.headers.map { "\($0.0): \($0.1)" }
    let texts = CStrings(
      [
        request.method, request.url, options.tls.authorities, options.tls.certificate,
        options.tls.key,
      ]
        + headers)
    wanted.method = texts[0]
    wanted.url = texts[1]
    wanted.authorities = texts[2]
    wanted.certificate = texts[3]
    wanted.key = texts[4]
    let lines = (5..<5 + headers.count).map { texts[$0] } + [nil]
    var result = fl_http_result()
    withExtendedLifetime((head, texts)) {
      lines.withUnsafeBufferPointer { lines in
        wanted.headers = lines.baseAddress
        // An empty array has no address, which would mean no body.
        (request.body.map { $0.isEmpty ? [0] : $0 } ?? []).withUnsafeBytes { body in
          wanted.body = request.body == nil ? nil : body.baseAddress
          wanted.body_size = request.body?.count ?? 0
          fl_http_send(handle, &wanted, &result)
        }
      }
    }
    return HTTPExchange.Ending(
      status: result.status, headers: head.headers, problem: Self.reason(result))
  }

  private static func reason(_ result: fl_http_result) -> String? {
    switch result.problem {
    case FL_HTTP_FINE: return nil
    case FL_HTTP_REFUSED: return "connection refused"
    case FL_HTTP_NO_HOST: return "unknown host"
    case FL_HTTP_TIMED_OUT: return "timed out"
    case FL_HTTP_NOT_TLS: return "it does not support TLS; try http://"
    case FL_HTTP_UNTRUSTED:
      return "its certificate is not trusted; pass its authority with --ca"
    case FL_HTTP_CLOSED_EARLY: return "the connection was closed before the answer's end"
    case FL_HTTP_GIVEN_UP: return "the request was given up"
    default:
      return withUnsafeBytes(of: result.words) { words in
        String(decoding: words.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
  }
}

/// C strings that live as long as this object.
private final class CStrings {
  private let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ texts: [String?]) { pointers = texts.map { $0.map { strdup($0) } ?? nil } }

  deinit { for pointer in pointers { free(pointer) } }

  subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index].map { UnsafePointer($0) } }
}
