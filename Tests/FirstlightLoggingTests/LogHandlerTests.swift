import Firstlight
import FirstlightLogging
import Logging
import TestSupport
import Testing
import TraceReader

/// What a logger's messages are in a recording.
///
/// A process is recorded into one directory for good, so those that record are processes of their own.
@Suite struct LogHandlerTests {
  /// The names of the marks that a process sets.
  private static func marks(_ body: () -> Void) throws -> [String] {
    let directory = try TemporaryDirectory()
    // This process has no guards: it is being recorded as far as marks go.
    Firstlight.start(directory: directory.url.path)
    try #require(Firstlight.isMarking)
    body()
    let traces = try TraceDirectory(path: directory.url.path).read().traces
    return try #require(traces.first).marks.map(\.name)
  }

  private static func logger(_ label: String) -> Logger {
    Logger(label: label) { FirstlightLogHandler(label: $0) }
  }

  @Test func aMessageIsAMarkUnderItsLabel() async {
    await #expect(processExitsWith: .success) {
      let names = try LogHandlerTests.marks {
        let user = "eve"
        LogHandlerTests.logger("web").notice("hello \(user)")
        LogHandlerTests.logger("store").error("no\nspace")
        LogHandlerTests.logger("").info("")
      }
      #expect(names == ["web: hello eve", "store: no\nspace", ": "])
    }
  }

  @Test func messagesBelowTheLevelAreNotRecorded() async {
    await #expect(processExitsWith: .success) {
      let names = try LogHandlerTests.marks {
        var logger = LogHandlerTests.logger("app")
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)") }
        logger.logLevel = .error
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)") }
      }
      #expect(
        names
          == ["info", "notice", "warning", "error", "critical", "error", "critical"].map {
            "app: \($0)"
          })
    }
  }

  @Test func metadataIsNotRecorded() async {
    await #expect(processExitsWith: .success) {
      let names = try LogHandlerTests.marks {
        var logger = LogHandlerTests.logger("app")
        logger[metadataKey: "password"] = "secret"
        logger.info("loaded", metadata: ["path": "/etc/app"])
      }
      #expect(names == ["app: loaded"])
    }
  }

  /// As swift-log asks of every handler: a logger that is copied is another one.
  @Test func levelsAndMetadataAreEachLoggersOwn() {
    var first = Self.logger("app")
    first[metadataKey: "request"] = "1"
    var second = first
    second[metadataKey: "request"] = "2"
    second.logLevel = .trace
    #expect(first[metadataKey: "request"] == "1" && second[metadataKey: "request"] == "2")
    #expect(first.logLevel == .info && second.logLevel == .trace)
    second[metadataKey: "request"] = nil
    #expect(second[metadataKey: "request"] == nil)
    var handler = FirstlightLogHandler(label: "app")
    handler.metadata = ["a": "b"]
    #expect(handler[metadataKey: "a"] == "b")
  }
}
