import FirstlightModel
import Foundation
import Ordering
import Startup
import SystemSupport
import TestSupport
import Testing

/// The page of a timeline in a real browser.
@Suite struct BrowserTests {
  private func page(_ profile: Profile) throws -> String {
    String(
      decoding: try TimelineFormat.html.bytes(
        Timeline(of: profile), limit: 0, paths: SourcePaths(root: "/x")), as: UTF8.self)
  }

  private struct Answers: Decodable {
    var errors: [String]
    var colours: Int
    var whole, zoomed, wheeled, moved, back: [Double]
    var clicked, found, detail, crumbs, crumbsAfter: String
    var rows, sorted, byName, searched, kinds: [String]
    var isDim: Bool
    var headings: [String]
  }

  @Test func thePageZoomsSearchesAndSorts() throws {
    let answers = try Browser.ask(
      page(SyntheticProfile.whole()),
      """
      const texts = selector => [...document.querySelectorAll(selector)].map(each => each.textContent);
      const names = () => texts("#list tbody td.name");
      const seen = () => [view.from, view.to].map(Math.round);
      const key = (id, name) => byId(id).dispatchEvent(
        new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
      answers.headings = texts("h1, h2, caption");
      answers.whole = seen();
      lanes.now();
      const pixels = lanes.context.getImageData(0, 0, lanes.canvas.width, lanes.canvas.height).data;
      answers.colours = new Set(new Uint32Array(pixels.buffer)).size;
      byId("zoom-in").click();
      answers.zoomed = seen();
      byId("lanes").dispatchEvent(new WheelEvent("wheel",
        {deltaY: 200, ctrlKey: true, clientX: 300, cancelable: true}));
      answers.wheeled = seen();
      key("lanes", "ArrowRight");
      answers.moved = seen();
      key("lanes", "0");
      answers.back = seen();
      // The middle of `parse`, as somebody would click it.
      const at = spans.findIndex(span => functions[span[FUNCTION]].name === "parse");
      const row = rows.find(row => row.kind === "calls");
      const place = {offsetX: xOf(spans[at][START] + spans[at][LENGTH] / 2),
        offsetY: row.top + spans[at][DEPTH] * ROW + 5};
      answers.clicked = nameOf(spans[spanAt(place.offsetX, place.offsetY)]);
      select(at, true);
      answers.detail = byId("detail").textContent;
      answers.rows = names();
      document.querySelectorAll("#list thead button")[1].click();
      answers.sorted = names();
      document.querySelectorAll("#list thead button")[4].click();
      answers.byName = names();
      byId("kind").value = "initializers";
      byId("kind").dispatchEvent(new Event("change"));
      answers.kinds = names();
      byId("kind").value = "";
      byId("search").value = "MAIN.C par";
      byId("search").dispatchEvent(new Event("input"));
      answers.found = byId("count").textContent;
      answers.searched = names();
      answers.isDim = isDim(spans[0][FUNCTION]);
      const node = nodes.findIndex(node => node[N_FUNCTION] === spans[at][FUNCTION]);
      const box = boxOf(node);
      const click = new MouseEvent("click");
      Object.defineProperty(click, "offsetX", {value: box.x + box.width / 2});
      Object.defineProperty(click, "offsetY", {value: box.y + 3});
      flame.canvas.dispatchEvent(click);
      answers.crumbs = byId("crumbs").textContent;
      flame.now();
      key("flame", "Escape");
      answers.crumbsAfter = byId("crumbs").textContent;
      """, as: Answers.self)
    #expect(answers.errors == [])
    #expect(
      answers.headings == [
        "Start-up of /x/program --port 1", "Threads", "Start-up flame graph", "Stages",
        "First calls and initializers",
      ])
    #expect(answers.colours > 10)
    #expect(answers.whole == [0, 1_010_000])
    #expect(answers.zoomed == [252_500, 757_500])
    #expect(answers.wheeled[1] - answers.wheeled[0] > 700_000)
    #expect(answers.moved[0] > answers.wheeled[0])
    #expect(answers.back == answers.whole)
    #expect(answers.clicked == "parse (tail call)")
    #expect(answers.detail.contains("0.160 ms") && answers.detail.contains("main.c:6"))
    #expect(answers.detail.contains("called from load \"config\""))
    #expect(
      Array(answers.rows.prefix(3)) == ["worker", "main (still running)", "parse (tail call)"])
    #expect(Array(answers.sorted.prefix(2)) == ["_start (still running)", "main (still running)"])
    #expect(answers.byName == answers.rows.sorted())
    #expect(answers.kinds == ["setup<tables>"])
    #expect(answers.found == "1 of 10 calls, 0 of 3 marks")
    #expect(answers.searched == ["parse (tail call)"])
    #expect(answers.isDim)
    #expect(
      answers.crumbs
        == "program > main > _start (still running) > main (still running) > load \"config\" > parse (tail call)"
    )
    #expect(answers.crumbsAfter == "")
  }

  private struct Many: Decodable {
    var errors: [String]
    var rows, frames: Int
    var found: String
  }

  @Test func tenThousandCallsAreDrawn() throws {
    var calls = [SyntheticProfile.Call(name: "main", start: 0, duration: 20_000_000)]
    for index in 0..<100 {
      let start = UInt64(index) * 200_000
      let parent = calls.count
      calls.append(.init(name: "part\(index)", start: start, duration: 190_000, parent: 0))
      for inner in 0..<100 {
        calls.append(
          .init(
            name: "f\(index)_\(inner)", start: start + UInt64(inner) * 1800, duration: 1500,
            parent: parent))
      }
    }
    let answers = try Browser.ask(
      page(SyntheticProfile.profile(calls)),
      """
      let frames = 0;
      for (let length = view.to; length > 1000; length /= 2) { setView(0, length); lanes.now(); flame.now(); frames += 1; }
      answers.frames = frames;
      byId("search").value = "f7_";
      byId("search").dispatchEvent(new Event("input"));
      answers.found = byId("count").textContent;
      answers.rows = document.querySelectorAll("#list tbody tr").length;
      """, as: Many.self)
    #expect(answers.errors == [])
    #expect(answers.frames > 10)
    #expect(answers.found == "100 of 10,101 calls")
    #expect(answers.rows == 100)
  }

  private struct Compared: Decodable {
    var errors: [String]
    var pointed, found, worse, same: String
  }

  @Test func theFlameGraphOfAComparisonShowsWhatChanged() throws {
    var changed = SyntheticProfile.whole()
    changed.processes[0].returns[9].duration = 25_000
    let difference = try TimelineDifference(
      before: Timeline(of: SyntheticProfile.whole()), after: Timeline(of: changed))
    let answers = try Browser.ask(
      difference.page(SourcePaths(root: "/x")),
      """
      const named = name => nodes.findIndex(node =>
        node[N_FUNCTION] >= 0 && functions[node[N_FUNCTION]].name === name);
      point(named("thrown"));
      answers.pointed = byId("flame-detail").textContent;
      answers.worse = flameColour(named("thrown"));
      answers.same = flameColour(named("worker"));
      byId("search").value = "thr";
      byId("search").dispatchEvent(new Event("input"));
      answers.found = byId("count").textContent;
      """, as: Compared.self)
    #expect(answers.errors == [])
    #expect(
      answers.pointed
        == "thrown \u{b7} 0.025 ms (2.0% of all) \u{b7} 0.025 ms self \u{b7} before 0.020 ms, "
        + "+0.005 ms \u{b7} main.c:10")
    #expect(answers.worse.contains(" 100%,") && answers.same.contains(" 0%,"))
    #expect(answers.found == "2 of 10 calls, 0 of 3 marks")
  }

  private struct Moments: Decodable {
    var errors, head, names: [String]
    var reached: String
  }

  @Test func aRecordingWithoutReturnsSaysSo() throws {
    let profile = SyntheticProfile.profile(
      [
        .init(name: "main", start: 1_000_000, duration: nil),
        .init(name: "late", start: 9_000_000, duration: nil),
        .init(name: "later", start: 9_500_000, duration: nil),
      ], hasReturns: false, readyAfter: 0.010)
    let answers = try Browser.ask(
      page(profile),
      """
      answers.head = [...document.querySelectorAll("#list thead th")].map(each => each.textContent);
      answers.names = [...document.querySelectorAll("#list tbody td.name")].map(each => each.textContent);
      byId("to-ready").click();
      select(1, true);
      answers.reached = byId("detail").textContent;
      """, as: Moments.self)
    #expect(answers.errors == [])
    #expect(answers.head == ["Until next ms", "At ms", "Function", "Place", "Thread"])
    #expect(answers.names == ["main", "late", "later"])
    #expect(
      answers.reached == "late \u{b7} program \u{b7} main.c:2 \u{b7} at 9.000 ms on main thread")
  }
}
