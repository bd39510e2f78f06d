import ArgumentParser
import FirstlightModel
import FleetAPI
import FleetModel
import ProfileFile
import ReportFormats
import TextFormatting

struct FleetBuildsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "builds", abstract: "Lists a fleet's builds with their runs, hosts and days.",
    usage: "firstlight fleet builds --from <url> [<options>]")

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    let document = try await origin.source().builds(choice.query)
    let builds = document.builds
    switch format {
    case .json: try Output.write(try JSONForm.pretty(document), to: nil)
    case .text:
      let missing = document.missingEvidence.map { $0 + "\n" }.joined()
      if builds.isEmpty { return try Output.write("No builds.\n" + missing, to: nil) }
      var table = TextTable([
        .left, .left, .left, .right, .right, .right, .left, .left, .left,
      ])
      table.add(
        "Program", "Version", "Build id", "Instrumented", "Runs", "Hosts", "First", "Last",
        "Functions")
      for build in builds {
        table.add(
          build.program, build.versions.isEmpty ? "-" : build.versions.joined(separator: " "),
          BuildID(build.buildID)?.short ?? build.buildID, CountText.number(build.guards),
          CountText.number(build.runs), build.hosts > 0 ? CountText.number(build.hosts) : "-",
          build.firstDay ?? "-",
          build.lastDay ?? "-", Self.functions(of: build))
      }
      try Output.write(
        table.text() + (missing.isEmpty ? "" : "\n" + missing), to: nil)
    }
  }

  private static func functions(of build: BuildDocument) -> String {
    if build.hasFunctions { return "named" }
    return build.readFailure.map { "not named: \($0)" } ?? "not named yet"
  }
}

struct FleetStartupsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "startups",
    abstract: "Shows the time to ready of programs, by version and labels.",
    usage: "firstlight fleet startups --from <url> [<options>]",
    discussion: """
      A program reports that it is ready with Firstlight.ready() or firstlight_ready(). The stages \
      (exec, loader, initializers, main) come from profiles of firstlight launch --profile that \
      firstlight upload has sent.
      """)

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    let document = try await origin.source().startups(choice.query)
    switch format {
    case .json: try Output.write(try JSONForm.pretty(document), to: nil)
    case .text:
      if document.startups.isEmpty {
        return try Output.write("No start reported ready (firstlight_ready).\n", to: nil)
      }
      var table = TextTable([
        .left, .left, .left, .right, .right, .right, .right, .left, .left,
      ])
      func times(_ p50: Double, _ p90: Double, _ p99: Double) -> [String] {
        [TimeText.fine(p50), TimeText.fine(p90), TimeText.fine(p99)]
      }
      table.add("Program", "Version", "Build id", "Starts", "p50", "p90", "p99", "First", "Labels")
      for row in document.startups {
        table.add(
          row: [
            row.program, row.version.isEmpty ? "-" : row.version,
            BuildID(row.buildID)?.short ?? row.buildID, CountText.number(row.starts),
          ] + (row.starts > 0 ? times(row.p50, row.p90, row.p99) : ["-", "-", "-"]) + [
            row.firstDay,
            row.labelText,
          ])
        for stage in row.stages ?? [] {
          table.add(
            row: [
              "  " + (LaunchStage.Kind(rawValue: stage.kind).map(LaunchText.name) ?? stage.kind),
              "",
              "", CountText.number(stage.starts),
            ]
              + times(stage.p50, stage.p90, stage.p99) + ["", ""])
        }
      }
      try Output.write(table.text(), to: nil)
    }
  }
}

struct FleetStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the state of a firstlightd: running programs, queues, stores.",
    usage: "firstlight fleet status --from <url> [<options>]")

  @OptionGroup var origin: FleetOrigin
  @Option(help: "Output format: text or json.") var format: TextOrJSON = .text

  func run() async throws {
    switch try origin.source() {
    case .store(let store): try storeStatus(try await store.size())
    case .daemon(let client):
      let status: StatusDocument = try await client.get("/v1/status")
      try Output.write(
        format == .json ? JSONForm.pretty(status) : FleetStatusText.text(status), to: nil)
    }
  }

  private func storeStatus(_ size: StoreSize) throws {
    var table = TextTable([.right, .left])
    table.add(CountText.number(size.builds), size.builds == 1 ? "build" : "builds")
    table.add(CountText.number(size.series), "series (build x day x version x labels)")
    table.add(CountText.number(size.coverage), "sums (function x series)")
    table.add(CountText.number(size.sampledTraces), "sampled traces")
    try Output.write(table.text(), to: nil)
  }
}
