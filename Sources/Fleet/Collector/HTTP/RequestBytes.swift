import BuildReader
import FirstlightModel
import HTTPTypes
import Hummingbird

/// Takes in what a client sends, within limits of size and time.
enum RequestBytes {
  /// The whole body.
  /// - Throws: `HTTPError` 413 if it is longer, 408 if it takes too long.
  static func collect(_ request: Request, limit: Int, seconds: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await take(request, limit: limit, seconds: seconds) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The whole body into a file.
  static func save(
    _ request: Request, to file: ScratchFile, limit: Int, seconds: Int
  ) async throws {
    try await take(request, limit: limit, seconds: seconds) { try file.append($0) }
  }

  private static func take(
    _ request: Request, limit: Int, seconds: Int, _ body: ([UInt8]) throws -> Void
  ) async throws {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw HTTPError(.contentTooLarge)
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    var count = 0
    // The server ends connections that say nothing at all; this ends those that say too little.
    for try await buffer in request.body {
      count += buffer.readableBytes
      guard count <= limit else { throw HTTPError(.contentTooLarge) }
      guard ContinuousClock.now < deadline else { throw HTTPError(.requestTimeout) }
      try body(Array(buffer.readableBytesView))
    }
  }
}
