import ClickHouseStore
import FirstlightModel
import FleetAPI
import FleetModel
import Glibc
import HTTPTransport
import ProfileFile
import SQLiteFleetStore

/// A fleet that can be asked: a daemon, or a store.
enum FleetSource {
  case store(any FleetStore)
  case daemon(FleetClient)

  /// - Parameter writes: whether something in it is to be changed.
  /// - Throws: `Failure` if `origin` is neither, or the store cannot be opened.
  init(_ origin: FleetOrigin, writes: Bool = false) throws(Failure) {
    if origin.from.hasPrefix("sqlite:") {
      let path = String(origin.from.dropFirst(7))
      // Opening it to write would make it.
      guard !writes || access(path, R_OK | W_OK) == 0 else {
        throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))")
      }
      self = .store(try SQLiteFleetStore(path: path, isReadOnly: !writes))
    } else if origin.from.hasPrefix("clickhouse:") {
      let address = try ClickHouseAddress(
        String(origin.from.dropFirst(11)), isArgument: true)
      self = .store(
        ClickHouseFleetStore(
          address, transport: try HTTPTransport(.init(tls: .init(authorities: origin.ca)))))
    } else {
      self = .daemon(try Self.client(url: origin.from, ca: origin.ca))
    }
  }

  /// A client with the token that the environment holds, or else this machine's own.
  static func client(url: String, ca: String?) throws(Failure) -> FleetClient {
    let token = getenv("FIRSTLIGHT_TOKEN").map { String(cString: $0) }.flatMap {
      $0.isEmpty ? nil : $0
    }
    return try FleetClient(
      url: url, token: token ?? LocalToken.find(for: url),
      transport: HTTPTransport(.init(tls: .init(authorities: ca))))
  }

  /// The profile of what was chosen.
  func profile(of choice: FleetChoice) async throws -> Profile {
    let selection = try choice.selection
    switch self {
    case .store(let store): return try await store.profile(of: selection)
    case .daemon(let client):
      let answer = try await client.bytes("/v1/profile", choice.query)
      return try ProfileFile.read(bytes: answer.body)
    }
  }

  func builds(_ choice: FleetChoice) async throws -> BuildsDocument {
    let selection = try choice.selection
    switch self {
    case .store(let store):
      return BuildsDocument(
        builds: try await store.builds(selection.builds, page: Page(limit: 10_000)).map(
          BuildDocument.init), next: nil,
        dropped: try await store.droppedBuilds(selection.builds).map(DroppedBuildDocument.init))
    case .daemon(let client):
      var all = BuildsDocument(builds: [], next: nil)
      var after: [(String, String)] = []
      repeat {
        let page: BuildsDocument = try await client.get("/v1/builds", choice.query + after)
        all.builds += page.builds
        all.dropped = all.dropped ?? page.dropped
        after = page.next.map { [("after", $0)] } ?? []
      } while !after.isEmpty && all.builds.count < 10_000
      return all
    }
  }

  /// Builds whose id begins with some digits, as far as it takes to see whether there are several.
  func builds(beginning digits: String) async throws -> [BuildDocument] {
    switch self {
    case .store(let store):
      return try await store.builds(BuildFilter(buildID: digits), page: Page(limit: 3)).map(
        BuildDocument.init)
    case .daemon(let client):
      let page: BuildsDocument = try await client.get(
        "/v1/builds", [("build-id", digits), ("limit", "3")])
      return page.builds
    }
  }

  /// Removes all that it has of a build.
  func forget(_ build: BuildDocument) async throws {
    switch self {
    case .store(let store):
      guard let id = BuildID(build.buildID), let recorder = Recorder(rawValue: build.recorder)
      else { return }
      try await store.prepare()
      let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
      _ = try await store.forget(
        BuildKey(buildID: id, recorder: recorder), by: "user \(user ?? "\(geteuid())")")
    case .daemon(let client):
      try await client.delete("/v1/builds/\(build.buildID)", [("recorder", build.recorder)])
    }
  }

  /// What retention has removed of what was chosen, a line for each build.
  func missingEvidence(of choice: FleetChoice) async throws -> [String] {
    var found = try await builds(choice)
    found.dropped = nil
    let since = choice.since ?? ""
    found.builds.removeAll { $0.droppedBefore.map { $0 <= since } ?? true }
    return found.missingEvidence
  }

  func startups(_ choice: FleetChoice) async throws -> StartupsDocument {
    switch self {
    case .store(let store): return try await store.startups(of: try choice.selection)
    case .daemon(let client): return try await client.get("/v1/startups", choice.query)
    }
  }
}

extension FleetChoice {
  var selection: FleetSelection {
    get throws(Failure) {
      try FleetSelection(query: query)
    }
  }

  var query: [(String, String)] {
    var query: [(String, String)] = []
    if let buildID { query.append(("build-id", buildID)) }
    if let program { query.append(("program", program)) }
    if let programVersion { query.append(("version", programVersion)) }
    if let since { query.append(("since", since)) }
    return query + label.map { ("label", $0) }
  }
}
