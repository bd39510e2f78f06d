import FirstlightModel
import FleetModel
import SystemSupport

/// The status of a daemon as text.
package enum FleetStatusText {
  package static func text(_ status: StatusDocument) -> String {
    var table = TextTable([.left, .left])
    table.add("firstlightd", "\(status.version), up since \(TimeText.moment(status.startedAt))")
    table.add("spool", status.spool ?? "none")
    table.add("store", status.sink + (status.sinkReachable ? "" : " (not reachable)"))
    if let problem = status.intakeProblem { table.add("problem", problem) }
    var waiting = "nothing"
    if status.outboxTraces > 0 {
      waiting =
        "\(CountText.text(status.outboxTraces, "row")), "
        + CountText.bytes(UInt64(clamping: status.outboxBytes))
      if let oldest = status.outboxOldestSeconds { waiting += ", oldest \(TimeText.text(oldest))" }
    }
    table.add("waiting", waiting)
    for (name, count) in status.counts.sorted(by: { $0.key < $1.key }) {
      table.add(name.text, CountText.number(count))
    }
    if let builds = status.builds { table.add("builds", CountText.number(builds)) }
    if let rows = status.coverageRows { table.add("sums", CountText.number(rows)) }
    if let sampled = status.sampledTraces { table.add("sampled traces", CountText.number(sampled)) }
    var text = table.text()
    guard !status.running.isEmpty else { return text }
    text += "\n"
    var running = TextTable([.right, .right, .left, .left, .left])
    running.add("Process", "First calls", "Started", "Ready", "Program")
    for process in status.running {
      running.add(
        "\(process.pid)", CountText.number(process.firstCalls), TimeText.moment(process.startedAt),
        process.ready ? "yes" : "-", process.path)
    }
    return text + running.text()
  }
}
