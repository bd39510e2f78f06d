import ProcessControl
import Testing

@Suite struct ReadinessConditionTests {
  @Test(
    arguments: [
      ("exit", .exit), ("ready", .ready), ("port:80", .port(80)),
      ("http:8080", .http(port: 8080, path: "/")), ("http:1/a?b", .http(port: 1, path: "/a?b")),
      ("line:up and running", .line("up and running")), ("500ms", .duration(0.5)),
      ("2m", .duration(120)), ("1h", .duration(3600)),
    ] as [(String, ReadinessCondition)])
  func momentsAreReadAsTheyAreWritten(text: String, moment: ReadinessCondition) {
    #expect(ReadinessCondition(argument: text) == moment)
    #expect(ReadinessCondition(argument: moment.argument) == moment)
  }

  @Test(
    arguments: [
      ("http://localhost:8080/health?a=b#top", .http(port: 8080, path: "/health?a=b")),
      ("http://127.0.0.1:80", .http(port: 80, path: "/")),
      ("http://[::1]:8080/", .http(port: 8080, path: "/")),
      ("http://[::1]/x", .http(port: 80, path: "/x")),
      ("http://0.0.0.0?q", .http(port: 80, path: "/?q")),
    ] as [(String, ReadinessCondition)])
  func aPastedAddressOfThisMachineIsOne(text: String, moment: ReadinessCondition) {
    #expect(ReadinessCondition(argument: text) == moment)
  }

  @Test(arguments: [
    "http://example.com/", "http://", "http://localhost:x/", "http://10.0.0.1/",
    "https://localhost/", "", "port:", "port:0", "port:65536", "port:+1", "http:x", "http:80/a b",
    "http:80/a\r\nX: y",
    "line:", "lambda", "5", "-5s", "0s", "nans", "infs", "1e9d", "s",
  ])
  func invalidMomentsAreRefused(text: String) {
    #expect(ReadinessCondition(argument: text) == nil)
  }
}
