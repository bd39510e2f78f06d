enum UnlistedColumn: Int32, TableColumn {
  case runs, processes, seconds
  case drops, uncommitted, lostImages, unreadableSegments, unrecordedProcesses, runningProcesses
  case windows, windowSeconds, problems

  static let table = "unlisted"
  static let key: String? = nil

  var declaration: String {
    switch self {
    case .runs: "runs INTEGER NOT NULL"
    case .processes: "processes INTEGER NOT NULL"
    case .seconds: "seconds REAL NOT NULL"
    case .drops: "drops INTEGER NOT NULL"
    case .uncommitted: "uncommitted INTEGER NOT NULL"
    case .lostImages: "lost_images INTEGER NOT NULL"
    case .unreadableSegments: "unreadable_segments INTEGER NOT NULL"
    case .unrecordedProcesses: "unrecorded_processes INTEGER NOT NULL"
    case .runningProcesses: "running_processes INTEGER NOT NULL"
    case .windows: "windows INTEGER NOT NULL"
    case .windowSeconds: "window_seconds REAL NOT NULL"
    case .problems: "problems TEXT NOT NULL"
    }
  }
}
