import Dispatch
import FirstlightModel
import Foundation
import Synchronization

/// A receiver of traces over OTLP/HTTP (OpenTelemetry Protocol specification, "OTLP/HTTP").
package struct OTLPReceiver: Sendable {
  private let url: String
  private let headers: [(String, String)]

  /// Nil if the text is not an http or https address.
  ///
  /// - Parameters:
  ///   - address: an address without a path gets `/v1/traces`, as for `OTEL_EXPORTER_OTLP_ENDPOINT`.
  ///   - environment: `OTEL_EXPORTER_OTLP_HEADERS` has headers to send, as for OpenTelemetry's exporters.
  package init?(_ address: String, environment: [String: String]) {
    guard HTTPAddress(address) != nil, var parts = URLComponents(string: address) else {
      return nil
    }
    if parts.path.isEmpty || parts.path == "/" { parts.path = "/v1/traces" }
    url = parts.string ?? address
    headers = (environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? "").split(separator: ",").compactMap {
      let words = $0.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return words.count == 2 ? (words[0], words[1].removingPercentEncoding ?? words[1]) : nil
    }
  }

  /// Sends a request in OTLP/JSON, and waits until the receiver has taken it.
  ///
  /// - Throws: `.unavailable` if it cannot be reached or refuses the request; `.data` if it refuses some of the spans.
  package func send(_ request: [UInt8]) throws(Failure) {
    let answered = DispatchSemaphore(value: 0)
    let result = Mutex<Result<HTTPAnswer, Failure>?>(nil)
    let message = HTTPRequest(
      "POST", url, headers: [("Content-Type", "application/json")] + headers, body: request,
      answerLimit: 1 << 20)
    Task {
      let answer: Result<HTTPAnswer, Failure>
      do throws(Failure) {
        answer = .success(try await HTTPTransport().send(message))
      } catch {
        answer = .failure(error)
      }
      result.withLock { $0 = answer }
      answered.signal()
    }
    answered.wait()
    guard let answer = try result.withLock({ $0 })?.get() else { return }
    guard (200..<300).contains(answer.status) else {
      let isDenied = answer.status == 401 || answer.status == 403
      throw Failure(
        .unavailable, "\(url): answered with status \(answer.status)",
        advice: isDenied
          ? "set OTEL_EXPORTER_OTLP_HEADERS to the headers that it wants, as NAME=VALUE,..."
          : "check that it receives OTLP over HTTP, in JSON")
    }
    let document = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    let partial = document?["partialSuccess"] as? [String: Any]
    if let refused = partial?["rejectedSpans"], "\(refused)" != "0" {
      throw Failure(
        .data, "\(url): refused \(refused) spans",
        advice: PrintableText.of(partial?["errorMessage"] as? String ?? ""))
    }
  }
}
