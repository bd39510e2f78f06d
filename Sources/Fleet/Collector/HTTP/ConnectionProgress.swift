/// The state of a connection, from the requests and answers that have passed.
///
/// A client may send further requests before it takes the answers to earlier ones (RFC 9112, section 9.3.2), so
/// requests and answers are counted separately.
struct ConnectionProgress {
  enum Step {
    /// The first request has not arrived.
    case head
    /// The client sends the body of the request that is worked on.
    case body
    /// The daemon works on an answer.
    case work
    /// The client takes an answer.
    case answer
    /// The client has all answers.
    case idle
  }

  private var hasAsked = false
  /// Whether the head of a request has arrived, but not its end.
  private var isReceiving = false
  /// Requests without a complete answer.
  private var unanswered = 0
  /// Answers that have begun, and that the kernel has not accepted completely. It accepts no more than the client
  /// takes, plus a buffer.
  private var untaken = 0

  var step: Step {
    if untaken > 0 { return .answer }
    // Behind an unanswered request, the server itself may delay the body.
    if isReceiving, unanswered <= 1 { return .body }
    if unanswered > 0 { return .work }
    return hasAsked ? .idle : .head
  }

  /// Whether nothing but the client can make progress. Also applies while it sends the ignored rest of a request
  /// that has its answer.
  var isWaiting: Bool { untaken > 0 || unanswered == 0 }

  mutating func receivedHead() {
    hasAsked = true
    isReceiving = true
    unanswered += 1
  }

  mutating func receivedEnd() { isReceiving = false }

  mutating func beganAnswer() { untaken += 1 }

  /// The answer's last part was handed to the connection. An answer to a malformed request has no request.
  mutating func endedAnswer() { unanswered = max(0, unanswered - 1) }

  /// The kernel accepted the last part of an answer, or the connection failed.
  mutating func tookAnswer() { untaken -= 1 }
}
