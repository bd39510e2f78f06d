import FirstlightModel
import FleetModel
import NeverCalled
import Ordering
import SystemSupport

/// Makes orders and never-called lists in the same way as `firstlight` makes them from a profile.
enum FleetAnswers {
  static func dead(_ profile: Profile, _ query: QueryPairs) throws(Failure) -> (String, DeadFormat)
  {
    let format: DeadFormat = try query.choice("format", default: .text)
    try profile.requireNames(address: "URL")
    var profile = profile
    if hasSwift(profile.builds.lazy.map(\.build)) { profile.unlisted.add(problem: withoutSources) }
    var request = NeverCalledRequest()
    (request.modules, request.paths) = (query.all("module"), query.all("path"))
    request.excluded = query.all("exclude")
    let own = query.all("own")
    if !own.isEmpty { request.ownCode = OwnCode(roots: [], own: own) }
    request.listsForeign = format.isComplete
    request.showsAll = query["all"] != nil
    request.isOfFleet = true
    let list = try found { () throws(Failure) in try request.list(from: profile) }
    // The server reads no sources, so paths stay as recorded.
    let places = SourcePaths(root: nil)
    return (try format.text(list, paths: places, links: places), format)
  }

  /// Debug information gives initializers that Swift generates the line of their type, so that only source files
  /// distinguish them from others. A daemon has no source files.
  static let withoutSources =
    "initializers that Swift generates count as functions here, since only firstlight fleet dead reads source "
    + "files"

  static func hasSwift(_ builds: some Sequence<Build>) -> Bool {
    builds.contains { $0.guarded.contains { $0.name.isSwiftSymbol } }
  }

  static func order(_ profile: Profile, _ query: QueryPairs) throws(Failure) -> String {
    let format: LinkerFormat = try query.choice("format", default: .lld)
    try profile.requireNames(address: "URL")
    var request = OrderRequest()
    request.image = query["image"]
    request.strategy = try query.choice("strategy", default: .firstCall)
    request.pageSize = UInt32(
      try query.number("page-size", default: Int(request.pageSize), in: 512...1 << 30))
    return format.text(try found { () throws(Failure) in try request.order(in: profile) })
  }

  /// Reports missing data as not found.
  private static func found<Answer>(
    _ answer: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    do throws(Failure) { return try answer() } catch {
      guard error.kind == .data else { throw error }
      throw Failure(.noInput, error.problem, advice: error.advice)
    }
  }
}
