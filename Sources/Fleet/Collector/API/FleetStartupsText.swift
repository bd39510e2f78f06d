import FirstlightModel
import FleetModel
import SystemSupport

/// A fleet's times to ready as text: a row for each program, version and labels, with its stages.
package enum FleetStartupsText {
  package static func text(_ document: StartupsDocument) -> String {
    if document.startups.isEmpty { return "No start reported ready (firstlight_ready).\n" }
    var table = TextTable([.left, .left, .left, .right, .right, .right, .right, .left, .left])
    table.add("Program", "Version", "Build id", "Starts", "p50", "p90", "p99", "First", "Labels")
    for row in document.startups {
      table.add(row: cells(of: row))
      for stage in row.stages ?? [] { table.add(row: cells(of: stage)) }
    }
    return table.text()
  }

  private static func cells(of row: StartupsDocument.Row) -> [String] {
    let times = row.starts > 0 ? times(row.p50, row.p90, row.p99) : ["-", "-", "-"]
    return [
      row.program, row.version.isEmpty ? "-" : row.version,
      BuildID(row.buildID)?.short ?? row.buildID, CountText.number(row.starts),
    ] + times + [row.firstDay, row.labelText]
  }

  private static func cells(of stage: StartupsDocument.Stage) -> [String] {
    let name = LaunchStage.Kind(rawValue: stage.kind)?.title ?? stage.kind
    return ["  " + name, "", "", CountText.number(stage.starts)]
      + times(stage.p50, stage.p90, stage.p99) + ["", ""]
  }

  private static func times(_ seconds: Double...) -> [String] { seconds.map(TimeText.fine) }
}
