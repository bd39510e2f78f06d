import DeadCode
import FirstlightModel
import FleetModel
import LinkerFormats
import ReportFormats
import SymbolOrdering
import SystemSupport

/// Orders and never-called lists as `firstlight` makes them of a profile.
enum FleetAnswers {
  static func dead(_ profile: Profile, _ query: QueryPairs) throws(Failure) -> (String, DeadFormat)
  {
    let format: DeadFormat = try query.choice("format", default: .text)
    let modules = query.all("module")
    let paths = query.all("path")
    let all = query["all"] != nil
    var options = DeadCodeReport.Options()
    options.isWanted = { module, file in
      (modules.isEmpty || modules.contains { Glob.matches($0, module) })
        && (paths.isEmpty
          || paths.contains { pattern in file.map { Glob.matchesPlace(pattern, $0) } ?? false })
    }
    let report = DeadCodeReport(of: profile, options: options)
    guard !report.functions.isEmpty else {
      throw Failure(
        .noInput, "the selected builds have no function names, or no function matches",
        advice: "send the binaries with: firstlight upload-symbols BINARY --to URL")
    }
    // The server does not read sources: paths stay as they were recorded.
    let places = SourcePaths(root: nil)
    let list = DeadCodeList(report, showsAll: all)
    return (try format.text(list, paths: places, links: places), format)
  }

  static func order(_ profile: Profile, _ query: QueryPairs) throws(Failure) -> String {
    let format: LinkerFormat = try query.choice("format", default: .lld)
    let strategy: OrderingStrategy = try query.choice("strategy", default: .firstCall)
    let pageSize = UInt32(
      try query.number("page-size", default: Int(PageSize.reported), in: 512...1 << 30))
    let build = try image(query["image"], of: profile)
    let code = OrderingInput(of: build, in: profile, pageSize: pageSize)
    guard !code.units.isEmpty else {
      throw Failure(
        .noInput, "\(profile.builds[build].build.name): none of its called functions has a name",
        advice: "send the binary with: firstlight upload-symbols BINARY --to URL")
    }
    return format.text(
      SymbolOrder(of: code, build: build, in: profile, strategy: strategy, pageSize: pageSize))
  }

  private static func image(_ glob: String?, of profile: Profile) throws(Failure) -> Int {
    let builds = profile.builds.map(\.build)
    let named = glob.map { BuildID.named($0, among: builds.map(\.buildID)) } ?? []
    var fitting = builds.indices.filter { index in
      let build = builds[index]
      guard let glob else { return build.kind == .executable }
      return named.contains(build.buildID) || Glob.matches(glob, build.name)
    }
    // Of one binary that was recorded in both ways.
    if Set(fitting.map { builds[$0].buildID }).count == 1, fitting.count > 1 {
      fitting.removeAll { builds[$0].recorder != .guards }
    }
    guard fitting.count == 1 else {
      let list = builds.map { "\($0.name) (\($0.buildID.short))" }
      throw Failure(
        fitting.isEmpty ? .noInput : .data,
        fitting.isEmpty ? "no binary matches" : "several binaries match",
        advice: "choose one with image or build-id: "
          + list.prefix(12).joined(separator: ", "))
    }
    return fitting[0]
  }
}
