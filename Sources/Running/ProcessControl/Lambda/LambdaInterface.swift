import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// A local stand-in for Lambda's runtime interface (version 2018-06-01). Hands out one event, and takes one answer.
/// A request for a second event waits, as in a function without further events.
final class LambdaInterface {
  /// An action of the program.
  enum Step {
    case askedForEvent, answered
    /// In the past tense, without a subject.
    case refused(String)
  }

  private let event: [UInt8]
  private let server: LoopbackServer
  private let request = UUID().uuidString.lowercased()
  private var hasAsked = false

  /// The largest event that Lambda hands to a function.
  private static let mostBytes = 6 << 20
  private static let function = "firstlight"
  /// The longest time that Lambda gives a function, seconds.
  private static let longest = 900.0
  private static let interface = "/2018-06-01/runtime/"
  private static let errorType = "lambda-runtime-function-error-type"

  /// - Parameter file: the event; nil for `{}`.
  /// - Throws: `Failure` of kind `noInput` or `data` if the file has no event, else `system`.
  init(event file: String?) throws(Failure) {
    event = try file.map { file throws(Failure) in try Self.read(file) } ?? Array("{}".utf8)
    server = try LoopbackServer()
  }

  private static func read(_ file: String) throws(Failure) -> [UInt8] {
    var status = stat()
    guard stat(file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.data, "\(file): the event is not a regular file")
    }
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

  /// The address of this interface, and other variables of Lambda's that runtimes need, unless they are set already.
  func environment(besides set: [String: String]) -> [String: String] {
    let usual = [
      "AWS_LAMBDA_FUNCTION_NAME": Self.function, "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
      "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "_HANDLER": "\(Self.function).handler",
    ].filter { set[$0.key] == nil && getenv($0.key) == nil }
    return usual.merging(["AWS_LAMBDA_RUNTIME_API": "127.0.0.1:\(server.port)"]) { $1 }
  }

  /// Serves until the program has answered or refused, or until `stop` is readable.
  ///
  /// - Parameter onStep: called before the program gets its reply.
  func serve(stop: Int32, onStep: (Step) -> Void) {
    server.serve(stop: stop) { request in
      guard let request else {
        onStep(.refused("sent something other than HTTP/1.1 to Lambda's runtime interface"))
        var end = LoopbackServer.Reply()
        end.isLast = true
        return end
      }
      guard request.path.hasPrefix(Self.interface) else { return .init("404 Not Found") }
      let call = request.path.dropFirst(Self.interface.count)
      if request.method == "GET", call == "invocation/next" {
        // There is no second event.
        guard !hasAsked else { return .init() }
        hasAsked = true
        onStep(.askedForEvent)
        return .init("200 OK", eventHeaders, event)
      }
      guard request.method == "POST", let step = step(call, request) else {
        return .init("404 Not Found")
      }
      onStep(step)
      return .init("202 Accepted", isLast: true)
    }
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
    let digits = request.filter { $0 != "-" }
    let begin = String(Int(now), radix: 16)
    let trace = "Root=1-\(begin)-\(digits.prefix(24));Parent=\(digits.suffix(16));Sampled=0"
    return [
      ("Content-Type", "application/json"), ("Lambda-Runtime-Aws-Request-Id", request),
      ("Lambda-Runtime-Deadline-Ms", "\(Int((now + Self.longest) * 1000))"),
      (
        "Lambda-Runtime-Invoked-Function-Arn",
        "arn:aws:lambda:us-east-1:000000000000:function:\(Self.function)"
      ), ("Lambda-Runtime-Trace-Id", trace),
    ]
  }
}
