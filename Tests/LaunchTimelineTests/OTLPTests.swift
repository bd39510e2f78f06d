import FirstlightModel
import Foundation
import LaunchTimeline
import ReportFormats
import Testing
import TextFormatting

/// A start-up as a trace. That OpenTelemetry's own messages hold it is tested with real programs.
@Suite struct OTLPTests {
  private struct Request: Decodable {
    struct Process: Decodable { var scopeSpans: [Scope] }
    struct Scope: Decodable { var spans: [Span] }
    struct Event: Decodable { var name, timeUnixNano: String }
    struct Span: Decodable {
      var name, traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano: String
      var events: [Event]
    }
    var resourceSpans: [Process]
  }

  private func spans(_ profile: Profile) throws -> [[Request.Span]] {
    let bytes = try TimelineFormat.otlp.bytes(
      Timeline(of: profile), limit: 0, paths: SourcePaths(root: "/x"))
    let request = try JSONDecoder().decode(Request.self, from: Data(bytes))
    return request.resourceSpans.map { $0.scopeSpans.flatMap(\.spans) }
  }

  @Test func stagesAndSpansLieBelowTheStartUpAndMarksInIt() throws {
    let spans = try #require(try spans(SyntheticProfile.whole()).first)
    let root = spans[0]
    #expect(root.name == "start-up" && root.parentSpanId == "")
    #expect(root.startTimeUnixNano == "1000000000000")
    #expect(root.events.map(\.name).sorted() == ["config loaded", "never ended", "ready"])
    #expect(
      root.events.first { $0.name == "config loaded" }?.timeUnixNano == "1000000820000")
    let inner = spans.dropFirst()
    #expect(inner.allSatisfy { $0.parentSpanId == root.spanId && $0.traceId == root.traceId })
    let span = try #require(inner.first { $0.name == "tls </script>" })
    #expect(span.startTimeUnixNano == "1000000640000" && span.endTimeUnixNano == "1000000870000")
    #expect(inner.contains { $0.name == "loader: relocating" })
    #expect(Set(spans.map(\.spanId)).count == spans.count)
  }

  @Test func aChildProcessLiesBelowItsParent() throws {
    var profile = SyntheticProfile.whole()
    var child = profile.processes[0]
    (child.id, child.pid, child.parentPID) = ("200-2-0", 200, 100)
    child.startedAt += 0.001
    profile.processes.append(child)
    let all = try spans(profile)
    #expect(all.count == 2 && all[1][0].parentSpanId == all[0][0].spanId)
    let ids = all.flatMap { $0.map(\.spanId) }
    #expect(Set(ids).count == ids.count)
    #expect(Set(all.flatMap { $0.map(\.traceId) }).count == 1)
  }

  @Test func aRunKeepsItsIDsAndItsNameIfItIsOne() throws {
    var profile = SyntheticProfile.whole()
    let id = try spans(profile)[0][0].traceId
    #expect(id.count == 32)
    #expect(try spans(profile)[0][0].traceId == id)
    profile.runs[0].id = "0123456789abcdef0123456789abcdef"
    profile.processes[0].run = profile.runs[0].id
    #expect(try spans(profile)[0][0].traceId == profile.runs[0].id)
  }
}
