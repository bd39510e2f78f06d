import FirstlightModel
import Foundation
import Reports
import Startup
import SystemSupport
import Testing

/// One start-up in all its forms.
@Suite struct FormatTests {
  private func text(
    _ format: TimelineFormat, _ profile: Profile = SyntheticProfile.whole(), limit: Int = 25
  ) throws -> String {
    String(
      decoding: try format.bytes(
        Timeline(of: profile), limit: limit, paths: SourcePaths(root: "/x")), as: UTF8.self)
  }

  private let moments = SyntheticProfile.profile(
    [
      .init(name: "main", start: 1_000_000, duration: nil),
      .init(name: "a;b", start: 1_500_000, duration: nil),
      .init(name: "c", start: 9_500_000, duration: nil, thread: 101),
    ], hasReturns: false, readyAfter: 0.010)

  @Test func theEndingOfAFileNameSaysTheFormat() {
    #expect(TimelineFormat(fileName: "a.b/x.HTML") == .html)
    #expect(TimelineFormat(fileName: "x.json") == .chrome)
    #expect(TimelineFormat(fileName: "x.folded") == .folded)
    #expect(TimelineFormat(fileName: "x.txt") == .text)
    #expect(TimelineFormat(fileName: "html") == nil)
    #expect(TimelineFormat(fileName: "x.svg") == nil)
  }

  /// The whole command stands below.
  @Test func aScriptOfManyLinesIsAHeadlineOfOne() throws {
    var profile = SyntheticProfile.whole()
    let script = (1...8).map { "echo <line> number \($0)\n" }.joined()
    profile.runs[0].command = ["/bin/sh", "-c", script]
    let page = try text(.html, profile)
    let headline =
      "sh -c &#39;echo &lt;line&gt; number 1 echo &lt;line&gt; "
      + "number 2 echo &lt;line&gt; number..."
    #expect(page.contains("<h1>Start-up of <code>\(headline)</code></h1>"), "\(page.prefix(6000))")
    #expect(page.contains("<title>Start-up of \(headline)</title>"))
    let whole = script.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    #expect(page.contains("<pre>/bin/sh -c &#39;\(whole)&#39;</pre>"))
    #expect(try text(.text, profile).hasPrefix("/bin/sh -c 'echo <line> number 1 echo "))
  }

  @Test func textShowsEverything() throws {
    let text = try text(.text)
    for line in [
      "/x/program --port 1",
      "program: process 100, ready after 1.000 ms, 10 first calls, 2 threads",
      "  0.200    0.100             5      0  relocating",
      "    0.190             9  program  setup<tables>",
      "  0.820             main thread  config loaded",
      "  0.640      0.230  main thread  tls </script>",
      "  0.710  not ended  thread 101   never ended",
      "    0.220       0.250  0.700       0  main.c:7  worker",
      "    0.160       0.160  0.650       0  main.c:6  parse (tail call)",
      "    <= 0.170    >= 0.400  0.600       5  main.c:4  main (still running)",
    ] {
      #expect(squeezed(text).contains(squeezed(line)), "\(line)\n\(text)")
    }
    // The tree's first lines: the whole, then its heaviest parts.
    let tree = squeezed(String(text[try #require(text.range(of: "Start-up tree")).lowerBound...]))
    #expect(
      tree.contains("1.250 0.000 program\n 0.400 0.000 main\n 0.400 0.000 _start (still running)"))
  }

  private func squeezed(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  @Test func timesAreSaidToBeScaled() throws {
    var profile = SyntheticProfile.whole()
    profile.processes[0].launch?.scale = 0.75
    for format in [TimelineFormat.text, .html, .chrome] {
      #expect(try text(format, profile).contains("the longest stage by 0.75"), "\(format)")
    }
  }

  @Test func omissionsAreReported() throws {
    let text = try text(.text, limit: 2)
    #expect(text.contains("and 8 more first calls; --limit 0 shows all"))
    #expect(text.contains("and 1 more mark; --limit 0 shows all"))
    #expect(text.contains("more lines of at most 0.400 ms; --limit 0 shows all"))
    #expect(try !self.text(.text, limit: 0).contains("--limit"))
  }

  @Test func momentsAreNotGivenDurations() throws {
    let text = squeezed(try text(.text, moments))
    #expect(text.contains("times of first calls but no durations"))
    #expect(text.contains(" 8.500 1.500 a;b (ready)\n 0.500 1.000 main a;b\n"))
    #expect(text.contains(" 9.500 thread 101 main.c:3 c\n"))
    #expect(!text.contains("Start-up tree") && !text.contains("self ms"))
    let chrome = try TraceEventChecker(self.text(.chrome, moments))
    #expect(chrome.problems == [])
    #expect(chrome.complete.isEmpty)
    #expect(chrome.instants.compactMap { $0["name"] as? String } == ["main", "a;b", "c", "ready"])
    #expect(
      try self.text(.folded, moments)
        == "program;program;main 1\nprogram;program;a:b 1\nprogram;thread 101;program;c 1\n")
  }

  @Test func theTraceIsOneAsTheFormatDemands() throws {
    let trace = try TraceEventChecker(text(.chrome))
    #expect(trace.problems == [])
    #expect(trace.names[[100]] == "program")
    #expect(trace.names[[100, 100]] == "main thread")
    #expect(trace.names[[100, 101]] == "thread 101")
    #expect(trace.names[[100, 102]] == "start-up stages")
    #expect(trace.complete[[100, 100]]?.count == 8)
    #expect(trace.complete[[100, 101]]?.count == 2)
    #expect(trace.complete[[100, 102]]?.map { $0["dur"] as? Double } == [100, 100, 100, 300, 400])
    #expect(trace.spans.map(\.name) == ["tls </script>"])
    #expect(trace.spans.map(\.start) == [640] && trace.spans.map(\.end) == [870])
    let instants = trace.instants.compactMap { $0["name"] as? String }
    #expect(instants == ["ready", "config loaded", "never ended"])
    let parse = trace.complete[[100, 100]]?.first { $0["name"] as? String == "parse" }
    #expect((parse?["args"] as? [String: Any])?["ending"] as? String == "tail call")
  }

  @Test func foldedStacksAddUp() throws {
    let folded = try text(.folded)
    #expect(
      folded.contains(
        "program;main;_start (still running);main (still running);load \"config\";parse (tail call) 160000\n"
      ))
    #expect(folded.contains("setup<tables>;helper:of setup 100000\n"))
    var sum = 0
    for line in folded.split(separator: "\n") {
      let blank = try #require(line.lastIndex(of: " "))
      sum += try #require(Int(line[line.index(after: blank)...]))
    }
    #expect(sum == 1_250_000)
  }

  @Test func aDifferenceIsToldAsTextAndAsAPage() throws {
    var changed = SyntheticProfile.whole()
    changed.processes[0].returns[9].duration = 25_000
    let difference = try TimelineDifference(
      before: Timeline(of: SyntheticProfile.whole()), after: Timeline(of: changed))
    let text = difference.document(limit: 25).text()
    #expect(squeezed(text).contains(" thrown program 0.020 0.025 +0.005 +0.005\n"))
    #expect(text.contains("0 functions new, 0 gone, 10 in both"))
    #expect(squeezed(text).contains(" ready after 1.000 1.000 +0.000\n"))
    let page = try difference.page(SourcePaths(root: "/x"))
    #expect(page.contains("<th scope=\"row\">thrown</th>"))
    #expect(!page.contains("tls </script>"))
  }

  @Test func thePageNeedsNoNetworkAndEscapesNames() throws {
    let page = try text(.html)
    #expect(!page.contains("src=") && !page.contains("<link") && !page.contains("import "))
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(!page.contains("setup<tables>"))
  }
}
