import FirstlightModel

/// Losses as every JSON document of ours shows them.
struct LossesDocument: Encodable {
  var drops: Int
  var uncommitted: Int
  var lostImages: Int
  var unreadableSegments: Int
  var unrecordedProcesses: Int
  var runningProcesses: Int

  init(_ losses: Losses) {
    drops = losses.drops
    uncommitted = losses.uncommitted
    lostImages = losses.lostImages
    unreadableSegments = losses.unreadableSegments
    unrecordedProcesses = losses.unrecordedProcesses
    runningProcesses = losses.runningProcesses
  }
}
