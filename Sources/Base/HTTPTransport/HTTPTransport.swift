import AsyncHTTPClient
import FirstlightModel

/// Sends HTTP requests. The only user of async-http-client.
package final class HTTPTransport: Sendable {
  /// Limits on what another side can cost us.
  package struct Options: Sendable {
    package var tls: TLSFiles
    /// Seconds until a connection stands.
    package var connectTimeout: Int64
    /// Seconds without a byte from the other side.
    package var readTimeout: Int64

    package init(tls: TLSFiles = TLSFiles(), connectTimeout: Int64 = 10, readTimeout: Int64 = 60) {
      self.tls = tls
      self.connectTimeout = connectTimeout
      self.readTimeout = readTimeout
    }
  }

  private let client: HTTPClient
  private let readTimeout: Int64

  /// - Throws: `Failure` if a file of `tls` cannot be read.
  package init(_ options: Options = Options()) throws(Failure) {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try options.tls.client(), redirectConfiguration: .disallow,
      timeout: .init(
        connect: .seconds(options.connectTimeout), read: .seconds(options.readTimeout)))
    configuration.httpVersion = .http1Only
    // Who calls tries again where that makes sense; who waits at a terminal wants to know.
    configuration.connectionPool.retryConnectionEstablishment = false
    readTimeout = options.readTimeout
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    // Connections end by and by; the client holds itself until then.
    client.shutdown { _ in }
  }

  /// Sends a request and takes in the whole answer.
  ///
  /// - Throws: `.unavailable`, naming the host, if there was no whole answer: nobody there, a
  ///   connection that broke, hung or lied about the length. An answer that says no is an answer.
  ///   `.usage` if the address cannot be one.
  package func send(_ request: HTTPRequest) async throws(Failure) -> HTTPAnswer {
    var body: [UInt8] = []
    var answer = try await send(request) { body.append(contentsOf: $0) }
    answer.body = body
    return answer
  }

  /// Sends a request and hands over the answer's body part by part, as it comes; the answer that is
  /// returned has none.
  ///
  /// - Throws: as `send(_:)`, and what `take` throws.
  package func send(
    _ request: HTTPRequest, take: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) async throws(Failure) -> HTTPAnswer {
    guard let address = HTTPAddress(request.url) else {
      throw Failure(
        .usage, "\"\(request.url)\" is not an address", advice: "write it as https://HOST:PORT")
    }
    do {
      var sent = HTTPClientRequest(url: request.url)
      sent.method = .init(rawValue: request.method)
      for (name, value) in request.headers { sent.headers.add(name: name, value: value) }
      if let body = request.body { sent.body = .bytes(body) }
      let answer = try await client.execute(sent, timeout: .seconds(request.timeout))
      var count = 0
      for try await part in answer.body {
        count += part.readableBytes
        guard count <= request.answerLimit else {
          throw Failure(
            .unavailable, "\(address.host): answers with more than \(request.answerLimit) bytes")
        }
        try part.withUnsafeReadableBytes(take)
      }
      return HTTPAnswer(
        status: Int(answer.status.code),
        headers: answer.headers.map { ($0.name.lowercased(), $0.value) }, body: [])
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.unavailable, "\(address.host): no answer: \(Self.reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    if let error = error as? HTTPClientError { return error.shortDescription.lowercased() }
    let text = "\(error)"
    // NIO's descriptions of failed connections list each attempt; the first tells enough.
    if text.contains("ECONNREFUSED") || text.contains("Connection refused") {
      return "connection refused"
    }
    // BoringSSL's own words name its source files.
    if text.contains("WRONG_VERSION_NUMBER") { return "it does not speak TLS; is it http://?" }
    if text.contains("CERTIFICATE_VERIFY_FAILED") {
      return "its certificate is not one that is trusted here; name its authority"
    }
    if text.contains("handshakeFailed"), let words = text.split(separator: ":").last {
      return "no TLS with it: \(words.prefix { $0 != " " })"
    }
    return text.count > 200 ? String(text.prefix(200)) + "..." : text
  }
}

/// A request, all of it in memory.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: String
  package var headers: [(String, String)]
  package var body: [UInt8]?
  /// Seconds until the head of the answer has to be there.
  package var timeout: Int64
  /// The most bytes to take in.
  package var answerLimit: Int

  package init(
    _ method: String, _ url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    timeout: Int64 = 60, answerLimit: Int = 256 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.answerLimit = answerLimit
  }
}

/// An answer, all of it in memory.
package struct HTTPAnswer: Sendable {
  package var status: Int
  /// Names in lower case.
  package var headers: [(String, String)]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The first header of a name, given in lower case.
  package func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
}
