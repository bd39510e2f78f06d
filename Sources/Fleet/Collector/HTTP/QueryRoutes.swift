import FirstlightModel
import FleetModel
import HTTPTypes
import Hummingbird
import ProfileFile

/// Queries for fleet data.
struct QueryRoutes: Sendable {
  let store: any FleetStore
  let status: StatusReport

  func add(to group: RouterGroup<APIContext>) {
    let keys = FleetQuery.keys
    group.get("builds") { request, _ in
      try await builds(
        QueryPairs(request, keys: ["build-id", "recorder", "program", "version", "after", "limit"]))
    }
    group.get("startups") { request, _ in
      let query = try QueryPairs(request, keys: keys)
      return try JSONAnswer.response(
        try await store.startups(of: FleetQuery(items: query.pairs)))
    }
    group.get("profile") { request, _ in try await profile(QueryPairs(request, keys: keys)) }
    group.get("order") { request, _ in
      let query = try QueryPairs(
        request, keys: keys + ["image", "format", "strategy", "page-size"])
      let profile = try await store.profile(of: FleetQuery(items: query.pairs))
      return Self.text(try FleetAnswers.order(profile, query), type: "text/plain; charset=utf-8")
    }
    group.get("dead") { request, _ in
      let query = try QueryPairs(
        request, keys: keys + ["module", "path", "exclude", "own", "all", "format"])
      let profile = try await store.profile(of: FleetQuery(items: query.pairs))
      let (text, format) = try FleetAnswers.dead(profile, query)
      var response = Self.text(text, type: format.mediaType)
      if format == .html {
        response.headers[.contentSecurityPolicy] = ContentPolicy.deadPage
      }
      return response
    }
    group.get("status") { _, _ in try JSONAnswer.response(try await status.document()) }
  }

  static func text(_ text: String, type: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: type],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  private func builds(_ query: QueryPairs) async throws -> Response {
    let filter = try FleetQuery(items: query.pairs)
    let limit = try query.number("limit", default: 100, in: 1...1000)
    var page = Page(limit: limit)
    if let after = query["after"] { page.after = try Self.position(after) }
    let builds = try await store.builds(filter, page: page)
    let next = builds.count == limit ? builds.last.map(Self.text(of:)) : nil
    let dropped = page.after == nil ? try await store.droppedBuilds(filter) : []
    return try JSONAnswer.response(
      BuildsDocument(
        builds: builds.map(BuildDocument.init), next: next,
        dropped: dropped.map(DroppedBuildDocument.init)))
  }

  private static func text(of build: FleetBuild) -> String {
    "\(build.key.buildID) \(build.key.recorder.rawValue) \(build.program)"
  }

  static func position(_ text: String) throws(Failure) -> PagePosition {
    let fields = text.split(at: " ", maxSplits: 2, omittingEmpty: false)
    guard fields.count == 3, let id = BuildID(String(fields[0])),
      let recorder = Recorder(rawValue: String(fields[1]))
    else {
      throw Failure(
        .usage, "\"\(text)\" is not a position in the list",
        advice: "use the value of next from the previous page")
    }
    return PagePosition(
      program: String(fields[2]), build: BuildKey(buildID: id, recorder: recorder))
  }

  private func profile(_ query: QueryPairs) async throws -> Response {
    let profile = try await store.profile(of: FleetQuery(items: query.pairs))
    return Response(
      status: .ok, headers: [.contentType: "application/vnd.sqlite3"],
      body: .init(byteBuffer: ByteBuffer(bytes: try ProfileFile.bytes(of: profile))))
  }
}
