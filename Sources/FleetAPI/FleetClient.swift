import FirstlightModel
import FleetModel
import Foundation
import HTTPTransport

/// Speaks to a firstlightd.
public struct FleetClient: Sendable {
  public let url: String
  private let token: String?
  private let transport: HTTPTransport

  /// - Throws: `.usage` if `url` is not an address, or would have a token sent in the clear.
  public init(url: String, token: String?, transport: HTTPTransport) throws(Failure) {
    guard let address = HTTPAddress(url) else {
      throw Failure(
        .usage, "\"\(url)\" is not an address", advice: "write it as https://HOST:PORT")
    }
    if token != nil, !address.isSecure, !address.isLoopback {
      throw Failure(
        .usage, "\(url) would send the token over the network in the clear",
        advice: "use https, or an address of this machine")
    }
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.token = token
    self.transport = transport
  }

  /// Hands over traces.
  /// - Throws: `.unavailable` if it is worth trying again.
  public func upload(_ traces: [FleetTrace]) async throws(Failure) -> IngestReceipt {
    let body = try Deflate.compress(FleetBatch.encode(traces))
    let answer = try await send(
      HTTPRequest(
        "POST", url + "/v1/traces",
        headers: [("Content-Type", FleetBatch.mediaType), ("Content-Encoding", "deflate")],
        body: body, timeout: 120))
    guard let document = try? JSONDecoder().decode(ReceiptDocument.self, from: Data(answer.body)),
      let receipt = document.receipt
    else { throw Failure(.unavailable, "\(url): answers what firstlightd never does") }
    return receipt
  }

  /// Hands over a binary or debug file for its symbols.
  public func uploadSymbols(_ bytes: [UInt8], name: String) async throws(Failure) -> SymbolDocument
  {
    let answer = try await send(
      HTTPRequest(
        "POST", url + "/v1/symbols?" + FleetQueryText.text([("name", name)]),
        headers: [("Content-Type", "application/x-elf")], body: bytes, timeout: 300))
    return try decode(answer)
  }

  /// Asks for a document.
  public func get<Document: Decodable>(
    _ path: String, _ query: [(String, String)] = [], as type: Document.Type = Document.self
  ) async throws(Failure) -> Document {
    try decode(try await bytes(path, query))
  }

  /// Asks for anything.
  public func bytes(
    _ path: String, _ query: [(String, String)] = []
  ) async throws(Failure) -> HTTPAnswer {
    let text = FleetQueryText.text(query)
    return try await send(
      HTTPRequest(
        "GET", url + path + (text.isEmpty ? "" : "?" + text), timeout: 120, answerLimit: 4 << 30))
  }

  private func decode<Document: Decodable>(_ answer: HTTPAnswer) throws(Failure) -> Document {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(answer.body)) else {
      throw Failure(.unavailable, "\(url): answers what firstlightd never does")
    }
    return document
  }

  private func send(_ request: HTTPRequest) async throws(Failure) -> HTTPAnswer {
    var request = request
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    let answer = try await transport.send(request)
    if (200..<300).contains(answer.status) { return answer }
    let problem = try? JSONDecoder().decode(ProblemDocument.self, from: Data(answer.body))
    let text = problem.map { $0.detail ?? $0.title } ?? "status \(answer.status)"
    let advice = problem?.advice ?? ""
    switch answer.status {
    case 401, 403:
      // A token can be put right without losing what waits.
      throw Failure(
        .unavailable, "\(url): \(text)",
        advice: advice.isEmpty ? "give it a token of the right role" : advice)
    case 404: throw Failure(.noInput, "\(url): \(text)", advice: advice)
    case 408, 425, 429, 500...: throw Failure(.unavailable, "\(url): \(text)", advice: advice)
    default: throw Failure(.data, "\(url): \(text)", advice: advice)
    }
  }
}

/// The part of an address behind `?`.
public enum FleetQueryText {
  public static func text(_ pairs: [(String, String)]) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-._~")
    return pairs.map { key, value in
      let value = value.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
      return "\(key)=\(value)"
    }.joined(separator: "&")
  }
}
