enum ProcessColumn: Int32, TableColumn {
  case run, id, pid, parentPID, forkedFrom, path, arguments, startedAt, readyAfter
  case drops, uncommitted, lostImages, unreadableSegments, unrecordedProcesses, runningProcesses
  case leftOut, calls, trace, returns, launch

  static let table = "process"
  static let key: String? = "run, id"

  var declaration: String {
    switch self {
    case .run: "run TEXT NOT NULL REFERENCES run(id)"
    case .id: "id TEXT NOT NULL"
    case .pid: "pid INTEGER NOT NULL"
    case .parentPID: "parent_pid INTEGER NOT NULL"
    case .forkedFrom: "forked_from TEXT"
    case .path: "path TEXT NOT NULL"
    case .arguments: "arguments TEXT NOT NULL"
    case .startedAt: "started_at REAL NOT NULL"
    case .readyAfter: "ready_after REAL"
    case .drops: "drops INTEGER NOT NULL"
    case .uncommitted: "uncommitted INTEGER NOT NULL"
    case .lostImages: "lost_images INTEGER NOT NULL"
    case .unreadableSegments: "unreadable_segments INTEGER NOT NULL"
    case .unrecordedProcesses: "unrecorded_processes INTEGER NOT NULL"
    case .runningProcesses: "running_processes INTEGER NOT NULL"
    case .leftOut: "left_out INTEGER NOT NULL"
    case .calls: "calls INTEGER NOT NULL"
    case .trace: "trace BLOB NOT NULL"
    case .returns: "returns BLOB"
    case .launch: "launch TEXT"
    }
  }
}
