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
