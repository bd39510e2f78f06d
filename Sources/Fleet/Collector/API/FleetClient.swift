import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport
import SystemSupport

/// Why an upload failed.
package struct UploadError: Error {
  package let failure: Failure
  /// Whether a firstlightd has read this batch and will never accept it. All other errors may be temporary.
  let isRefusal: Bool
  /// The delay in seconds after which an overloaded firstlightd wants the batch again; nil if not stated.
  var retryAfter: Double?
}

/// An HTTP client of a firstlightd.
package struct FleetClient: Sendable {
  package let url: String
  private let token: String?
  private let transport: HTTPTransport

  /// - Throws: `.usage` if `url` is not an address, or if the token would be sent unencrypted.
  package init(url: String, token: String?, transport: HTTPTransport) throws(Failure) {
    guard let address = HTTPAddress(url) else {
      throw Failure(
        .usage, "\"\(url)\" is not an address", advice: "write it as https://HOST:PORT")
    }
    if token != nil, !address.isSecure, !address.isLoopback {
      throw Failure(
        .usage, "\(url) would send the token unencrypted over the network",
        advice: "use https, or an address of this machine")
    }
    self.url = url.ends(with: "/") ? String(url.dropLast()) : url
    self.token = token
    self.transport = transport
  }

  /// Uploads rows, whose bytes are sent unchanged.
  /// - Parameter batch: a `StateBatch`, compressed by `Deflate`.
  package func upload(batch: [UInt8]) async throws(UploadError) -> StateReceipt {
    // Only an answer that repeats this name is the receiver's own; others may come from a proxy.
    let name = String(UInt64.random(in: .min ... .max), radix: 16)
    let answer = try await post(
      "/v1/states", StateBatch.mediaType, batch, [(StateBatch.nameHeader, name)], named: name)
    guard let receipt = try? JSONDecoder().decode(StateReceipt.self, from: Data(answer.body))
    else { throw notAnAnswer }
    return receipt
  }

  /// The versions of rows in the daemon's store; nil for each missing row.
  package func versions(_ rows: StateVersions) async throws(UploadError) -> [RowVersion?] {
    let body: [UInt8]
    do throws(Failure) { body = try Deflate.compress(rows.encoded()) } catch {
      throw UploadError(failure: error, isRefusal: false)
    }
    let answer = try await post("/v1/versions", StateVersions.mediaType, body)
    guard let document = try? JSONDecoder().decode(VersionsDocument.self, from: Data(answer.body)),
      document.versions.count == rows.rows.count
    else { throw notAnAnswer }
    return document.versions.map { $0 == 0 ? nil : RowVersion(rawValue: $0) }
  }

  private var notAnAnswer: UploadError {
    UploadError(
      failure: Failure(.unavailable, "\(url): not an answer of firstlightd"), isRefusal: false)
  }

  /// - Parameter name: the name of the batch, which a refusal repeats.
  private func post(
    _ path: String, _ mediaType: String, _ body: [UInt8], _ headers: [(String, String)] = [],
    named name: String? = nil
  ) async throws(UploadError) -> HTTPAnswer {
    let answer: HTTPAnswer
    do throws(Failure) {
      answer = try await answered(
        HTTPRequest(
          "POST", url + path,
          headers: [("Content-Type", mediaType), ("Content-Encoding", "deflate")] + headers,
          body: body, timeout: 120))
    } catch { throw UploadError(failure: error, isRefusal: false) }
    if let failure = failure(answer) {
      throw UploadError(
        failure: failure, isRefusal: name != nil && Self.problem(answer)?.batch == name,
        retryAfter: Self.retryAfter(answer))
    }
    return answer
  }

  /// Uploads a binary or debug file for its symbols.
  package func uploadSymbols(_ bytes: [UInt8], name: String) async throws(Failure) -> SymbolDocument
  {
    let answer = try await send(
      HTTPRequest(
        "POST", url + "/v1/symbols?" + FleetQueryText.text([("name", name)]),
        headers: [("Content-Type", "application/x-elf")], body: bytes, timeout: 300))
    return try decode(answer)
  }

  /// Requests a document.
  package func get<Document: Decodable>(
    _ path: String, _ query: [(String, String)] = [], as type: Document.Type = Document.self
  ) async throws(Failure) -> Document {
    try decode(try await bytes(path, query))
  }

  /// Requests bytes of any kind. Notes in `AnswerGaps` the missing data if a part of the daemon's store is
  /// unreachable.
  /// - Parameter timeout: for the whole answer, in seconds.
  package func bytes(
    _ path: String, _ query: [(String, String)] = [], timeout: Int64 = 120
  ) async throws(Failure) -> HTTPAnswer {
    let text = FleetQueryText.text(query)
    let answer = try await send(
      HTTPRequest(
        "GET", url + path + (text.isEmpty ? "" : "?" + text), timeout: timeout,
        answerLimit: 4 << 30))
    if let missing = answer.header(AnswerGaps.header) { AnswerGaps.current?.note(missing) }
    return answer
  }

  /// Sends a DELETE request.
  package func delete(_ path: String, _ query: [(String, String)] = []) async throws(Failure) {
    let text = FleetQueryText.text(query)
    _ = try await send(
      HTTPRequest("DELETE", url + path + (text.isEmpty ? "" : "?" + text), timeout: 120))
  }

  private func decode<Document: Decodable>(_ answer: HTTPAnswer) throws(Failure) -> Document {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(answer.body)) else {
      throw Failure(.unavailable, "\(url): not an answer of firstlightd")
    }
    return document
  }

  private func send(_ request: HTTPRequest) async throws(Failure) -> HTTPAnswer {
    let answer = try await answered(request)
    if let failure = failure(answer) { throw failure }
    return answer
  }

  private func answered(_ request: HTTPRequest) async throws(Failure) -> HTTPAnswer {
    var request = request
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    return try await transport.send(request)
  }

  /// The delay of RFC 9110, 10.2.3, in the form of seconds, up to an hour.
  private static func retryAfter(_ answer: HTTPAnswer) -> Double? {
    guard answer.status == 429 else { return nil }
    return answer.header("retry-after").flatMap(Double.init).map { min(max($0, 1), 3600) } ?? 5
  }

  private static func problem(_ answer: HTTPAnswer) -> ProblemDocument? {
    try? JSONDecoder().decode(ProblemDocument.self, from: Data(answer.body))
  }

  /// The failure that an answer reports; nil if the request succeeded.
  private func failure(_ answer: HTTPAnswer) -> Failure? {
    if (200..<300).contains(answer.status) { return nil }
    let problem = Self.problem(answer)
    let text = problem.map { $0.detail ?? $0.title } ?? "status \(answer.status)"
    let advice = problem?.advice ?? ""
    switch answer.status {
    case 401, 403:
      // The user can fix a token without losing waiting rows.
      return Failure(
        .unavailable, "\(url): \(text)",
        advice: advice.isEmpty ? "set FIRSTLIGHT_TOKEN to a token of the right role" : advice)
    case 404: return Failure(.noInput, "\(url): \(text)", advice: advice)
    case 408, 425, 429, 500...: return Failure(.unavailable, "\(url): \(text)", advice: advice)
    default: return Failure(.data, "\(url): \(text)", advice: advice)
    }
  }
}

/// The query of an address.
enum FleetQueryText {
  static func text(_ pairs: [(String, String)]) -> String {
    pairs.map { "\($0)=\(Escaping.urlValue($1))" }.joined(separator: "&")
  }
}
