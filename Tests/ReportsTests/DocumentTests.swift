import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import NeverCalled
@testable import Reports
@testable import Startup

/// Other programs read these documents, so keys, order and numbers must not change: each document is
/// compared with Tests/Fixtures/documents. The reports are made up, so that every key occurs.
@Suite struct DocumentTests {
  enum Document: String, CaseIterable {
    case profile, timeline, startup, gate, comparison, binary, libraries, order, machine
    case failedStartup = "failed-startup"
    case neverCalled = "never-called"
    case neverCalledWithReferences = "never-called-references"
    case sarif
    case timelinePage = "timeline-page"
  }

  private func text(_ document: Document) throws -> String {
    let paths = SourcePaths(root: nil)
    return switch document {
    case .profile: try JSONForm.pretty(MadeUp.profile)
    case .timeline:
      String(
        decoding: try TimelineFormat.json.bytes(MadeUp.timeline, limit: 0, paths: paths),
        as: UTF8.self)
    case .startup: try JSONForm.pretty(MadeUp.startup)
    case .failedStartup: try JSONForm.pretty(MadeUp.failedStartup)
    case .gate: try GateFormat.json.text(MadeUp.gate)
    case .comparison: try ComparisonFormat.json.text(MadeUp.comparison)
    case .binary: try JSONForm.pretty(MadeUp.binary)
    case .libraries: try JSONForm.pretty(MadeUp.libraries)
    case .order: try JSONForm.pretty(MadeUp.order)
    case .machine:
      try JSONForm.pretty(MadeUp.machine).replacing(ToolVersion.text, with: "VERSION")
    case .neverCalled:
      try DeadFormat.json.text(MadeUp.neverCalled, paths: paths, links: paths)
    case .neverCalledWithReferences: try neverCalled(.json)
    case .sarif: try neverCalled(.sarif)
    case .timelinePage:
      try JSONForm.compact(
        TimelineHTMLData(
          timeline: MadeUp.timeline, tree: MadeUp.timeline.startupTree(), before: [5, nil],
          paths: paths))
    }
  }

  private func neverCalled(_ format: DeadFormat) throws -> String {
    let paths = SourcePaths(root: nil)
    return try format.text(
      MadeUp.neverCalled, references: MadeUp.references, paths: paths, links: paths)
  }

  @Test(arguments: Document.allCases)
  func documentKeepsItsBytes(document: Document) throws {
    let file = Toolchain.project.appending(
      path: "Tests/Fixtures/documents/\(document.rawValue).json")
    let lines = try text(document).split(separator: "\n", omittingEmptySubsequences: false)
    let kept = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let difference = zip(lines, kept).enumerated().first { $1.0 != $1.1 }
    #expect(lines == kept, "line \((difference?.offset ?? 0) + 1): \(difference?.element.0 ?? "")")
  }

  @Test func aColumnThatDoesNotFitIsFolded() {
    let table = Reports.Document.Table(
      "Groups", [.number(""), .code(""), .code("", folded: true), .text("", folded: true)],
      [["1 B", "f", "a.c:1", "unreferenced"], ["12 B", "g", "", ""]])
    #expect(
      table.text(TextStyle(width: 40))
        == "Groups\n   1 B  f  a.c:1  unreferenced\n  12 B  g\n")
    #expect(
      table.text(TextStyle(width: 29))
        == "Groups\n   1 B  f  a.c:1\n      unreferenced\n  12 B  g\n")
    #expect(
      table.text(TextStyle(width: 14))
        == "Groups\n   1 B  f\n      a.c:1  unreferenced\n  12 B  g\n")
  }
}
