/// Reads the HTTP/1.1 requests of one connection (RFC 9112) from pieces of any size.
///
/// The sender is not trusted: of a body only the first bytes are kept, and heads have a limit.
package struct RequestParser {
  package struct Request: Equatable {
    package var method: String
    package var path: String
    /// By lowercase name, with the trailers of a chunked body.
    package var headers: [String: String]
    /// The first bytes of the body.
    package var body: [UInt8] = []
    fileprivate(set) var isHTTP10 = false

    /// Whether the connection ends after the answer.
    var closes: Bool {
      let words = headers["connection"]?.lowercased() ?? ""
      return isHTTP10 ? !words.contains("keep-alive") : words.contains("close")
    }
  }

  /// The sender does not speak HTTP/1.1, or exceeds a limit.
  package struct Malformed: Error {}

  private enum State {
    case head
    /// In a body or a chunk, with the number of missing bytes.
    case body(Int)
    case chunk(Int)
    case chunkSize, chunkEnd, trailers
  }

  private var state = State.head
  private var buffer: [UInt8] = []
  private var request: Request?
  /// Bytes of the current head, and of its trailers.
  private var headSize = 0

  /// The largest head, with trailers.
  package static let headLimit = 64 << 10
  /// The bytes of a body that are kept.
  package static let bodyLimit = 16 << 10
  /// Larger numbers could overflow.
  private static let largestBody = 1 << 40

  package init() {}

  /// Whether the sender waits for "100 Continue" before it sends the body. True once for each request.
  package private(set) var awaitsContinue = false

  /// Adds received bytes.
  ///
  /// - Returns: the requests that are complete now.
  package mutating func take(_ bytes: some Collection<UInt8>) throws(Malformed) -> [Request] {
    buffer += bytes
    awaitsContinue = false
    var complete: [Request] = []
    while true {
      switch try step() {
      case .lacksBytes: return complete
      case .complete(let request): complete.append(request)
      case .advanced: break
      }
    }
  }

  private enum Step {
    case lacksBytes, advanced
    case complete(Request)
  }

  private mutating func step() throws(Malformed) -> Step {
    switch state {
    case .head:
      guard let line = try line() else { return .lacksBytes }
      guard request != nil else {
        // Empty lines between requests are allowed.
        if !line.isEmpty { request = try Self.requestLine(line) }
        return .advanced
      }
      guard line.isEmpty else {
        try add(line)
        return .advanced
      }
      return try beginBody()
    case .body(let missing), .chunk(let missing):
      guard missing > 0, !buffer.isEmpty else {
        guard missing == 0 else { return .lacksBytes }
        if case .body = state { return end() }
        state = .chunkEnd
        return .advanced
      }
      let part = buffer.prefix(missing)
      let room = Self.bodyLimit - request!.body.count
      request!.body += part.prefix(room)
      if case .body = state {
        state = .body(missing - part.count)
      } else {
        state = .chunk(missing - part.count)
      }
      buffer.removeFirst(part.count)
      return .advanced
    case .chunkSize:
      guard let line = try line() else { return .lacksBytes }
      // The limit applies to each chunk, so that any number of chunks fits.
      headSize = 0
      let digits = line.prefix { $0 != ";" }.trimmed
      guard let size = Self.number(digits, radix: 16) else { throw Malformed() }
      state = size == 0 ? .trailers : .chunk(size)
      return .advanced
    case .chunkEnd:
      guard let line = try line() else { return .lacksBytes }
      guard line.isEmpty else { throw Malformed() }
      state = .chunkSize
      return .advanced
    case .trailers:
      guard let line = try line() else { return .lacksBytes }
      if line.isEmpty { return end() }
      try add(line)
      return .advanced
    }
  }

  private mutating func beginBody() throws(Malformed) -> Step {
    let headers = request!.headers
    if let encoding = headers["transfer-encoding"] {
      guard encoding.lowercased() == "chunked", headers["content-length"] == nil else {
        throw Malformed()
      }
      state = .chunkSize
    } else {
      guard let length = Self.number(headers["content-length"] ?? "0", radix: 10) else {
        throw Malformed()
      }
      state = .body(length)
    }
    awaitsContinue = headers["expect"]?.lowercased() == "100-continue"
    return .advanced
  }

  private mutating func end() -> Step {
    defer { (state, request, headSize, awaitsContinue) = (.head, nil, 0, false) }
    return .complete(request!)
  }

  /// The next line without its end; nil if it is not complete.
  private mutating func line() throws(Malformed) -> String? {
    let end = buffer.firstIndex(of: 0x0a)
    guard headSize + (end ?? buffer.count) <= Self.headLimit else { throw Malformed() }
    guard let end else { return nil }
    headSize += end + 1
    defer { buffer.removeFirst(end + 1) }
    let line = buffer[..<end]
    guard let text = String(validating: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
    else { throw Malformed() }
    return text
  }

  private static func requestLine(_ line: String) throws(Malformed) -> Request {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"),
      words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
    else { throw Malformed() }
    return Request(
      method: words[0], path: words[1], headers: [:], isHTTP10: words[2] == "HTTP/1.0")
  }

  /// Adds a header. Two values for one that may occur only once make the request malformed.
  private mutating func add(_ line: String) throws(Malformed) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
      !line[..<colon].contains(where: \.isWhitespace)
    else { throw Malformed() }
    let name = line[..<colon].lowercased()
    let value = line[line.index(after: colon)...].trimmed
    if let first = request?.headers.updateValue(value, forKey: name), first != value,
      ["content-length", "transfer-encoding"].contains(name)
    {
      throw Malformed()
    }
  }

  private static func number(_ digits: String, radix: Int) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit),
      let number = Int(digits, radix: radix), number <= largestBody
    else { return nil }
    return number
  }
}

extension Substring {
  /// Without blanks around it.
  fileprivate var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? startIndex
    return String(self[..<end].drop(while: isBlank))
  }
}
