enum BuildColumn: Int32, TableColumn {
  case id, buildID, recorder, path, kind, architecture, guards, hasSymbols, hasDebugInfo
  case optimised, runs, countedRuns

  static let table = "build"
  static let key: String? = "id"

  var declaration: String {
    switch self {
    case .id: "id INTEGER NOT NULL"
    case .buildID: "build_id TEXT NOT NULL"
    case .recorder: "recorder TEXT NOT NULL"
    case .path: "path TEXT NOT NULL"
    case .kind: "kind TEXT NOT NULL"
    case .architecture: "architecture TEXT NOT NULL"
    case .guards: "guards INTEGER NOT NULL"
    case .hasSymbols: "has_symbols INTEGER NOT NULL"
    case .hasDebugInfo: "has_debug_info INTEGER NOT NULL"
    case .optimised: "optimised INTEGER NOT NULL"
    case .runs: "runs INTEGER NOT NULL"
    case .countedRuns: "counted_runs INTEGER NOT NULL"
    }
  }
}

/// A function's `id` is the index of its guard; without one, it follows the guards.
enum FunctionColumn: Int32, TableColumn {
  case build, id, code, name, address, size, file, line, compilerGenerated, local

  static let table = "function"
  static let key: String? = "build, id"

  var declaration: String {
    switch self {
    case .build: "build INTEGER NOT NULL REFERENCES build(id)"
    case .id: "id INTEGER NOT NULL"
    case .code: "code INTEGER NOT NULL"
    case .name: "name INTEGER NOT NULL REFERENCES name(id)"
    case .address: "address INTEGER"
    case .size: "size INTEGER NOT NULL"
    case .file: "file INTEGER REFERENCES file(id)"
    case .line: "line INTEGER NOT NULL"
    case .compilerGenerated: "compiler_generated INTEGER NOT NULL"
    case .local: "local INTEGER NOT NULL"
    }
  }
}

/// Guards that were called.
enum CoverageColumn: Int32, TableColumn {
  case build, `guard`, runs, firstSeen, lastSeen

  static let table = "coverage"
  static let key: String? = "build, guard"

  var declaration: String {
    switch self {
    case .build: "build INTEGER NOT NULL REFERENCES build(id)"
    case .guard: "guard INTEGER NOT NULL"
    case .runs: "runs INTEGER NOT NULL"
    case .firstSeen: "first_seen REAL NOT NULL"
    case .lastSeen: "last_seen REAL NOT NULL"
    }
  }
}

/// Counters that counted calls.
enum CounterColumn: Int32, TableColumn {
  case build, function, runs, firstSeen, lastSeen

  static let table = "counter"
  static let key: String? = "build, function"

  var declaration: String {
    switch self {
    case .build: "build INTEGER NOT NULL REFERENCES build(id)"
    case .function: "function INTEGER NOT NULL"
    case .runs: "runs INTEGER NOT NULL"
    case .firstSeen: "first_seen REAL NOT NULL"
    case .lastSeen: "last_seen REAL NOT NULL"
    }
  }
}

enum MarkColumn: Int32, TableColumn {
  case run, process, id, kind, name, thread, time, duration

  static let table = "mark"
  static let key: String? = "run, process, id"

  var declaration: String {
    switch self {
    case .run: "run TEXT NOT NULL"
    case .process: "process TEXT NOT NULL"
    case .id: "id INTEGER NOT NULL"
    case .kind: "kind TEXT NOT NULL"
    case .name: "name TEXT NOT NULL"
    case .thread: "thread INTEGER NOT NULL"
    case .time: "time INTEGER NOT NULL"
    case .duration: "duration INTEGER"
    }
  }
}

enum CountedProcessColumn: Int32, TableColumn {
  case run, process, buildID, functions, called

  static let table = "counted_process"
  static let key: String? = "run, process, build_id"

  var declaration: String {
    switch self {
    case .run: "run TEXT NOT NULL"
    case .process: "process TEXT NOT NULL"
    case .buildID: "build_id TEXT NOT NULL"
    case .functions: "functions INTEGER NOT NULL"
    case .called: "called BLOB NOT NULL"
    }
  }
}
