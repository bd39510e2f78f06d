import FirstlightModel
import HTTPTransport

/// A server of debug information by build id (debuginfod(8), the web interface).
package struct DebuginfodServer: Hashable, Sendable {
  /// The URL without trailing slash.
  package let address: String

  /// A kind of file that a server has for a build.
  package enum Artifact: String, Sendable {
    case executable, debuginfo
  }

  /// Limits on an answer.
  package struct Limits: Sendable {
    package var bytes: Int
    /// From the request to the last byte.
    package var seconds: Int64

    package init(bytes: Int = 2 << 30, seconds: Int64 = 300) {
      self.bytes = bytes
      self.seconds = seconds
    }
  }

  /// The servers of `DEBUGINFOD_URLS`, as in debuginfod's own clients: addresses separated by spaces.
  package static func list(_ text: String) -> [DebuginfodServer] {
    text.split(separator: " ").filter { HTTPAddress(String($0)) != nil }.map { url in
      DebuginfodServer(address: url.hasSuffix("/") ? String(url.dropLast()) : String(url))
    }
  }

  /// Its host, for messages.
  package var host: String { HTTPAddress(address)?.host ?? address }

  /// The address of a build's files.
  package func address(of build: BuildID) -> String { "\(address)/buildid/\(build)" }

  /// Passes the file to `take`, part by part as it arrives.
  ///
  /// - Returns: whether the server has the file.
  /// - Throws: `.unavailable`, naming the host, if the answer exceeds the limits, or is neither yes
  ///   nor no; any error of `take`.
  package func fetch(
    _ artifact: Artifact, of build: BuildID, limits: Limits = Limits(),
    by transport: HTTPTransport, take: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) async throws(Failure) -> Bool {
    let deadline = ContinuousClock.now + .seconds(limits.seconds)
    let answer = try await transport.send(
      HTTPRequest(
        "GET", "\(address(of: build))/\(artifact.rawValue)", timeout: limits.seconds,
        answerLimit: limits.bytes)
    ) { part throws(Failure) in
      guard ContinuousClock.now < deadline else {
        throw Failure(.unavailable, "\(host): no answer within \(limits.seconds) s")
      }
      try take(part)
    }
    switch answer.status {
    case 200: return true
    case 404: return false
    default: throw Failure(.unavailable, "\(host): answered with status \(answer.status)")
    }
  }
}
