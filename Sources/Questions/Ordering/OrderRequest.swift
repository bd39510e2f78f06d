import FirstlightModel
import SystemSupport

/// A request for an order: the binary of a profile, and the way to order it. The commands, the
/// daemon and `optimize` use it.
package struct OrderRequest {
  /// The binary, by path, file name or build id; `*` and `?` are wildcards. Nil for the executable.
  package var image: String?
  package var strategy = OrderingStrategy.firstCall
  /// Page size in bytes.
  package var pageSize = UInt32(PageSize.reported)
  /// The binary to be linked; nil for the recorded one.
  package var target: (path: String, symbols: TargetSymbols)?
  /// Required share of called functions in the target, from 0 to 1.
  package var minimumHitRate: Double?

  package init() {}

  /// Fails with `.data` if not exactly one binary matches, or if none of its called functions can be ordered.
  package func order(in profile: Profile) throws(Failure) -> SymbolOrder {
    order(of: try input(in: profile))
  }

  /// - Parameter input: the input for this request.
  package func order(of input: OrderingInput) -> SymbolOrder {
    SymbolOrder(of: input, strategy: strategy, pageSize: pageSize)
  }

  /// The code that can be ordered. Fails like `order(in:)`.
  package func input(in profile: Profile) throws(Failure) -> OrderingInput {
    let place = try build(in: profile)
    let recorded = profile.builds[place]
    if recorded.build.guarded.isEmpty, recorded.coverage.contains(where: \.isCalled) {
      throw Failure(
        .data, "\(recorded.build.path): its functions have no names",
        advice: "record a binary that is not stripped; "
          + "a fleet gets the names by firstlight upload-symbols")
    }
    let input = OrderingInput(
      of: place, in: profile, target: target?.symbols, pageSize: pageSize)
    try input.check(target: target?.path, minimumHitRate: minimumHitRate)
    return input
  }

  private func build(in profile: Profile) throws(Failure) -> Int {
    let builds = profile.builds.map(\.build)
    let named = image.map { BuildID.named($0, among: builds.map(\.buildID)) } ?? []
    var fitting = builds.indices.filter { index in
      guard let image else { return builds[index].kind == .executable }
      return named.contains(builds[index].buildID) || Glob.matchesFile(image, builds[index].path)
    }
    // A binary recorded in both ways has two builds, whose functions have different indices.
    if Set(fitting.map { builds[$0].buildID }).count == 1, fitting.count > 1 {
      fitting.removeAll { builds[$0].recorder != .guards }
    }
    if fitting.count == 1 { return fitting[0] }
    if builds.isEmpty {
      throw Failure(
        .data, "the profile contains no binaries", advice: "record the program again")
    }
    let list = (fitting.isEmpty ? Array(builds.indices) : fitting).map { index in
      "\(builds[index].name) (\(builds[index].kind.rawValue), build id \(builds[index].buildID.short))"
    }.joined(separator: ", ")
    throw Failure(
      .data,
      fitting.isEmpty
        ? "no binary matches \(image.map { "--image \($0)" } ?? "the executable"): \(list)"
        : "several binaries match: \(list)",
      advice: "choose one with --image BUILD-ID")
  }
}
