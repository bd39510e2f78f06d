import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import ProfileFile
import SystemSupport

/// The source of fleet data: a daemon or a store.
package enum FleetSource {
  case store(any FleetStore)
  case daemon(FleetClient)

  /// - Parameters:
  ///   - address: a daemon's URL, `sqlite:PATH` or `clickhouse:URL`.
  ///   - authorities: path of certificates (PEM) to trust instead of the system's.
  ///   - writes: whether the caller changes data.
  /// - Throws: `Failure` if the address has another form, or the store cannot be opened.
  package init(
    _ address: String, authorities: String? = nil, writes: Bool = false
  ) throws(Failure) {
    guard address.begins(with: "sqlite:") || address.begins(with: "clickhouse:") else {
      self = .daemon(try Self.client(url: address, authorities: authorities))
      return
    }
    let store = try StoreAddress(address)
    // Opening a missing store for writing would create it.
    if writes, case .sqlite(let path) = store, access(path, R_OK | W_OK) != 0 {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    self = .store(
      try store.open(isReadOnly: !writes, isArgument: true, authorities: authorities))
  }

  /// The daemon's address, for commands that send to it; `URL` for a store, which may have any number of daemons.
  package var address: String {
    switch self {
    case .store: "URL"
    case .daemon(let client): client.url
    }
  }

  /// A client with the token from the environment, or else with this machine's local token.
  package static func client(url: String, authorities: String?) throws(Failure) -> FleetClient {
    let token = getenv("FIRSTLIGHT_TOKEN").map { String(cString: $0) }.flatMap {
      $0.isEmpty ? nil : $0
    }
    return try FleetClient(
      url: url, token: token ?? LocalToken.find(for: url),
      transport: HTTPTransport(.init(tls: .init(authorities: authorities))))
  }

  /// The profile of the selected data.
  package func profile(of query: FleetQuery) async throws -> Profile {
    switch self {
    case .store(let store): return try await store.profile(of: query)
    case .daemon(let client):
      let answer = try await client.bytes("/v1/profile", query.items)
      return try ProfileFile.read(bytes: answer.body)
    }
  }

  /// - Throws: `.noInput` if the query selects builds, and none matches.
  package func builds(_ query: FleetQuery) async throws -> BuildsDocument {
    let document = try await allBuilds(query)
    guard document.builds.isEmpty, document.dropped == nil, !query.buildItems.isEmpty else {
      return document
    }
    throw Failure(
      .noInput, "no build matches", advice: "without options, firstlight fleet builds lists all")
  }

  private func allBuilds(_ query: FleetQuery) async throws -> BuildsDocument {
    switch self {
    case .store(let store):
      return BuildsDocument(
        builds: try await store.builds(query, page: Page(limit: 10_000)).map(
          BuildDocument.init), next: nil,
        dropped: try await store.droppedBuilds(query).map(DroppedBuildDocument.init))
    case .daemon(let client):
      var all = BuildsDocument(builds: [], next: nil)
      var after: [(String, String)] = []
      repeat {
        let page: BuildsDocument = try await client.get(
          "/v1/builds", query.buildItems + after)
        all.builds += page.builds
        all.dropped = all.dropped ?? page.dropped
        after = page.next.map { [("after", $0)] } ?? []
      } while !after.isEmpty && all.builds.count < 10_000
      return all
    }
  }

  /// Updates a store's schema before changes. A daemon has already done that.
  package func prepare() async throws {
    if case .store(let store) = self { try await store.prepare() }
  }

  /// Builds whose id begins with some digits.
  package func builds(beginning digits: String) async throws -> [BuildDocument] {
    switch self {
    case .store(let store):
      return try await store.builds(FleetQuery(buildID: digits), page: Page(limit: 1000)).map(
        BuildDocument.init)
    case .daemon(let client):
      let page: BuildsDocument = try await client.get(
        "/v1/builds", [("build-id", digits), ("limit", "1000")])
      return page.builds
    }
  }

  /// Removes all data of a build.
  package func forget(_ build: BuildDocument) async throws {
    switch self {
    case .store(let store):
      guard let id = BuildID(build.buildID), let recorder = Recorder(rawValue: build.recorder)
      else { return }
      let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
      _ = try await store.forget(
        BuildKey(buildID: id, recorder: recorder), by: "user \(user ?? "\(geteuid())")",
        on: FleetDay(of: Clock.realtime()))
    case .daemon(let client):
      try await client.delete("/v1/builds/\(build.buildID)", [("recorder", build.recorder)])
    }
  }

  /// The data in the selection that retention has removed, one line for each build.
  package func missingEvidence(of query: FleetQuery) async throws -> [String] {
    var found = try await builds(query)
    found.dropped = nil
    let since = query.days?.lowerBound.description ?? ""
    found.builds.removeAll { $0.droppedBefore.map { $0 <= since } ?? true }
    return found.missingEvidence
  }

  package func startups(_ query: FleetQuery) async throws -> StartupsDocument {
    switch self {
    case .store(let store): return try await store.startups(of: query)
    case .daemon(let client): return try await client.get("/v1/startups", query.items)
    }
  }
}
