import FirstlightModel
import Foundation

/// A process's start-up as the `launch` column of a profile holds it: JSON, so that SQLite's own
/// functions can take it apart.
enum LaunchColumn {
  /// The launch; nil if the text is not one, or its stages overlap or leave a gap.
  static func decode(_ text: String) -> LaunchRecord? {
    guard let launch = try? JSONDecoder().decode(LaunchRecord.self, from: Data(text.utf8)) else {
      return nil
    }
    var times = BoundedSum()
    var faults = BoundedSum()
    var end: UInt64?
    for stage in launch.stages {
      guard times.add(stage.start), times.add(stage.duration), faults.add(stage.minorFaults),
        faults.add(stage.majorFaults), end == nil || end == stage.start
      else { return nil }
      end = stage.start + stage.duration
    }
    for run in launch.initializers {
      guard times.add(run.start), times.add(run.duration ?? 0), faults.add(run.minorFaults),
        faults.add(run.majorFaults)
      else { return nil }
    }
    for image in launch.images {
      guard times.add(image.mappedAt), times.add(image.mapping ?? 0),
        times.add(image.relocating ?? 0)
      else { return nil }
    }
    if let scale = launch.scale, !scale.isFinite || scale <= 0 { return nil }
    if let typical = launch.typical {
      guard times.add(typical.duration), typical.stages.values.allSatisfy({ times.add($0) })
      else { return nil }
    }
    return launch
  }
}
