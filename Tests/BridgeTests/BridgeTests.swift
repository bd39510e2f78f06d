import Firstlight
import FirstlightLogging
import FirstlightModel
import FirstlightTracing
import Foundation
import Logging
import Testing
import TraceReader
import Tracing

/// What a program tells other libraries becomes marks and spans, as the recording has them.
@Suite struct BridgeTests {
  private struct Broken: Error {}

  @Test func whatIsTracedAndLoggedIsInTheRecording() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "firstlight-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // This process has no guards: it is being recorded as far as marks go.
    Firstlight.start(directory: directory.path)
    try #require(Firstlight.isMarking)

    let tracer = FirstlightTracer()
    tracer.withSpan("request") { span in
      span.addEvent("cache miss")
      #expect(span.isRecording)
      #expect(throws: Broken.self) {
        try tracer.withSpan("query") { _ in throw Broken() }
      }
    }
    let logger = Logger(label: "app") { FirstlightLogHandler(label: $0) }
    logger.info("config loaded", metadata: ["path": "/etc/app"])
    logger.debug("not for everybody")

    let trace = try #require(try TraceDirectory(path: directory.path).read().traces.first)
    #expect(
      trace.marks.map(\.name) == [
        "request", "cache miss", "query", "query failed: Broken()", "app: config loaded",
      ])
    for mark in trace.marks {
      let isSpan = ["request", "query"].contains(mark.name)
      guard case .span(let duration) = mark.kind else {
        #expect(!isSpan)
        continue
      }
      #expect(isSpan && duration != nil)
    }
  }
}
