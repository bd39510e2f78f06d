enum RunColumn: Int32, TableColumn {
  case id, command, host, kernel, architecture, processor, cores, startedAt, endedAt
  case exitStatus, signal, ending, problems, attachment

  static let table = "run"
  static let key: String? = "id"

  var declaration: String {
    switch self {
    case .id: "id TEXT NOT NULL"
    case .command: "command TEXT NOT NULL"
    case .host: "host TEXT NOT NULL"
    case .kernel: "kernel TEXT NOT NULL"
    case .architecture: "architecture TEXT NOT NULL"
    case .processor: "processor TEXT NOT NULL"
    case .cores: "cores INTEGER NOT NULL"
    case .startedAt: "started_at REAL NOT NULL"
    case .endedAt: "ended_at REAL NOT NULL"
    case .exitStatus: "exit_status INTEGER"
    case .signal: "signal INTEGER"
    case .ending: "ending TEXT"
    case .problems: "problems TEXT NOT NULL"
    case .attachment: "attachment TEXT"
    }
  }
}
