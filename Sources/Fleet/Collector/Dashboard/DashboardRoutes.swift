import FirstlightModel
import FleetModel
import HTTPTypes
import Hummingbird
import Reports
import SystemSupport

/// HTML pages of the daemon, without scripts.
struct DashboardRoutes: Sendable {
  let store: any FleetStore
  let status: StatusReport

  func add(to group: RouterGroup<APIContext>) {
    group.get("") { request, _ in
      let filter = try FleetQuery(items: QueryPairs(request).pairs.filter { !$0.1.isEmpty })
      let builds = try await store.builds(filter, page: Page(limit: 500))
      let page = BuildListPage(
        builds: builds, dropped: try await store.droppedBuilds(filter), filter: filter,
        status: try await status.document(countsStore: false))
      return Self.page(page.text)
    }
    group.get("builds/:id") { request, context in
      let id = context.parameters.get("id") ?? ""
      let query = try FleetQuery(items: QueryPairs(request).pairs.filter { !$0.1.isEmpty })
      let found = try await store.builds(
        FleetQuery(buildID: id, recorder: query.recorder), page: Page(limit: 3))
      // If a build was recorded in both ways, guards are preferred, as everywhere.
      let build = found.first { $0.key.recorder == .guards } ?? found.first
      guard let build, Set(found.map(\.key.buildID)).count == 1 else {
        throw Failure(
          .noInput, found.isEmpty ? "no build \(id)" : "several build ids begin with \(id)")
      }
      return Self.page(
        try await BuildPageFacts(of: build, in: store, query).page.text)
    }
  }

  private static func page(_ text: String) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy: ContentPolicy.page,
      ], body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}

/// The common parts of all pages.
enum PageFrame {
  static func page(title: String, body: HTML) -> String {
    HTMLPage.text(
      title: "\(title) - Firstlight", style: style,
      header: "<header><a href=\"/\">Firstlight</a></header>\n", body: "\(gaps)\(body)")
  }

  /// Notes on missing data, because a part of the store is unreachable.
  private static var gaps: [HTML] {
    (AnswerGaps.current?.lines ?? []).map { "<p><strong>\($0)</strong></p>\n" }
  }

  private static let style = ResourceText.of(PackageResources.dashboard_css)
}

/// A row of figures with their meanings.
enum FactList {
  static func html(_ facts: [(String, String)]) -> HTML {
    """
    <ul class="facts">\(facts.map { "<li><b>\($0)</b><span>\($1)</span></li>" })</ul>

    """
  }
}
