import FirstlightModel
import FleetModel
import TraceReader

/// Finds the run of each process: a run of its own, or that of its forking process.
struct ProcessFamilies {
  private let host: String
  private let ledger: IntakeLedger
  /// Members by process, for those with files.
  private var members: [ProcessID: FamilyMember] = [:]
  /// The ledger's members among the current processes, by process.
  private var recalled: [String: FamilyMember] = [:]

  init(host: String, ledger: IntakeLedger) {
    self.host = host
    self.ledger = ledger
  }

  /// The processes by family, each family sorted by start time. The families preferred by samples
  /// come first: once they are counted, no other family's order of calls is wanted.
  mutating func sort(
    _ processes: [KnownProcess], known: [ProcessID: KnownProcess]
  ) throws(Failure) -> [AdmittedProcess] {
    members = members.filter { known[$0.key] != nil }
    try recall(known)
    var admitted: [AdmittedProcess] = []
    for process in processes {
      let member = try family(of: process, known: known, depth: 0)
      admitted.append(
        AdmittedProcess(
          known: process, run: member.run, root: member.root,
          isOrphan: TraceEntry.process(ofFile: member.root + ".process").map { known[$0] == nil }
            ?? true))
    }
    return admitted.map { (FamilyHash.of(run: $0.run, root: $0.root), $0) }.sorted { a, b in
      (a.0, a.1.run, a.1.known.startedAt) < (b.0, b.1.run, b.1.known.startedAt)
    }.map(\.1)
  }

  /// Runs that may get more processes; valid after `sort` of the same processes.
  mutating func openRuns(
    _ known: [ProcessID: KnownProcess], without taken: Set<ProcessID>
  ) throws(Failure) -> Set<String> {
    var open: Set<String> = []
    for (id, process) in known where !taken.contains(id) {
      open.insert(try family(of: process, known: known, depth: 0).run)
    }
    return open
  }

  /// Reads the ledger's members for processes and their forking processes, all at once.
  private mutating func recall(_ known: [ProcessID: KnownProcess]) throws(Failure) {
    var wanted: Set<String> = []
    for (id, process) in known where members[id] == nil {
      wanted.insert(process.process.description)
      if let parent = process.page?.forkedFrom { wanted.insert(parent.description) }
    }
    recalled = try ledger.members(wanted)
  }

  private mutating func family(
    of process: KnownProcess, known: [ProcessID: KnownProcess], depth: Int
  ) throws(Failure) -> FamilyMember {
    if let member = members[process.entry.process] { return member }
    let id = process.process.description
    var member = recalled[id]
    // The page names an older process, but in a spool any chain is possible.
    if member == nil, let parent = process.page?.forkedFrom, depth < 1000 {
      var stem = parent
      stem.namespace = 0
      let found: FamilyMember? =
        if let parentProcess = known[stem] {
          try family(of: parentProcess, known: known, depth: depth + 1)
        } else {
          recalled[parent.description]
        }
      let root = found ?? first(parent)
      member = FamilyMember(process: id, root: root.root, run: root.run)
    }
    let result = member ?? first(process.process)
    members[process.entry.process] = result
    return result
  }

  private func first(_ process: ProcessID) -> FamilyMember {
    let id = process.description
    return FamilyMember(
      process: id, root: id,
      run: TraceID(run: host, process: "\(id)@\(process.namespace)").description)
  }
}
