// The entry that libFuzzer calls for each input: https://llvm.org/docs/LibFuzzer.html
// Scripts/fuzz builds it alone and runs it; MutatedInputTests runs it on inputs of its own.
import FirstlightModel

@testable import Ordering
@testable import ProfileFile
@testable import Startup

/// Reads one input as a profile, and stops the program where a promise of the reader is broken.
#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzProfile(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  // Its traces are numbers of our own making: seen bare, they are changed more often.
  let bytes = UnsafeRawBufferPointer(start: start, count: size)
  if let calls = TraceBlob.decode(bytes, count: size / 5, guardCounts: [1000, 7]) {
    precondition(calls.count == size / 5)
    precondition(calls.allSatisfy { $0.guardIndex < ($0.build == 0 ? 1000 : 7) })
  }
  if let returns = ReturnsBlob.decode(bytes, count: size / 4) {
    precondition(returns.count == size / 4)
    check(returns)
  }
  // Few changes of a file's bytes leave it a database: other inputs change columns of a sound profile.
  let isFile = bytes.starts(with: "SQLite format 3".utf8)
  let profile = isFile ? Array(bytes) : Columns.shared.changed(by: bytes)
  do throws(Failure) {
    check(try ProfileFile.read(bytes: profile))
  } catch {
    // Bad input has one clear line.
    precondition(!error.problem.isEmpty && !error.problem.contains("\n"))
  }
  return 0
}

/// The columns of all tables, in a profile with a row in each of them.
private struct Columns {
  static let shared = Columns()

  private let sound: Profile
  private let columns: [(table: String, name: String)]

  private init() {
    guard
      let read = try? ProfileFile.read("Tests/Fixtures/profiles/accounts.flp"),
      let database = try? ProfileWriter.database(of: read),
      var rows = try? RowReading(
        sql: """
          SELECT tables.name, columns.name
          FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
          WHERE tables.type = 'table' AND columns.type IN ('INTEGER', 'REAL')
          """, in: database.pointer)
    else { fatalError("Tests/Fixtures/profiles/accounts.flp is no profile") }
    var columns: [(table: String, name: String)] = []
    while (try? rows.next()) == true, let table = try? rows.text(0), let name = try? rows.text(1) {
      columns.append((table, name))
    }
    var sound = read
    sound.unlisted.runs = 1
    (self.sound, self.columns) = (sound, columns)
  }

  /// The file of the profile with a number in a column for each ten bytes: the column, the kind of number, the number.
  func changed(by bytes: UnsafeRawBufferPointer) -> [UInt8] {
    do {
      let database = try ProfileWriter.database(of: sound)
      for at in stride(from: 0, to: bytes.count - 9, by: 10) {
        let (table, name) = columns[Int(bytes[at]) % columns.count]
        let number = bytes.loadUnaligned(fromByteOffset: at + 2, as: UInt64.self)
        var row = try RowInsertion(
          sql: "UPDATE OR IGNORE \(table) SET \(name) = ?", in: database.pointer)
        switch bytes[at + 1] % 4 {
        case 0: row.add(Int64(bitPattern: number))
        // Most numbers of a profile are small.
        case 1: row.add(Int64(number >> 24))
        case 2: row.add(Int64(number >> 40))
        default: row.add(Double(bitPattern: number))
        }
        // What the table does not take stays as it is.
        try? row.insert()
      }
      return try database.withContents { Array($0) }
    } catch {
      fatalError("\(error)")
    }
  }
}

private func check(_ returns: [CallOutcome]) {
  for (index, call) in returns.enumerated() {
    precondition((-1..<index).contains(Int(call.parent)))
  }
  _ = returns.reduce(0 as UInt64) { $0 + ($1.duration ?? 0) }
}

private func check(_ profile: Profile) {
  for recorded in profile.builds {
    precondition(recorded.coverage.count == recorded.build.guardCount)
    precondition(
      !recorded.build.functions.dropFirst(recorded.build.guarded.count).contains(where: \.isGuarded)
    )
    for index in recorded.build.entryGuards {
      precondition(Int(index) < recorded.build.guardCount)
    }
  }
  let runs = Set(profile.runs.map(\.id))
  for process in profile.processes {
    precondition(runs.contains(process.run))
    for call in process.calls {
      let build = profile.builds[Int(call.build)].build
      precondition(Int(call.guardIndex) < build.guardCount)
    }
    precondition(process.returns.isEmpty || process.returns.count == process.calls.count)
    check(process.returns)
    for (a, b) in zip(process.marks, process.marks.dropFirst()) { precondition(a.time <= b.time) }
    // Whoever adds them up must not overflow.
    let stages = process.launch?.stages ?? []
    _ = stages.reduce(0) { $0 + $1.duration + $1.minorFaults + $1.majorFaults }
    for (a, b) in zip(stages, stages.dropFirst()) { precondition(a.start + a.duration == b.start) }
  }
  // What was read can be worked with: shown, ordered, added up, and written again.
  _ = profile.builds.map { $0.build.function(ofGuard: 0) }
  _ = try? Timeline(of: profile)
  for build in profile.builds.indices {
    _ = OrderRequest().order(of: OrderingInput(of: build, in: profile))
  }
  var sum = profile.sorted()
  for index in sum.runs.indices { sum.runs[index].id += "2" }
  for index in sum.processes.indices { sum.processes[index].run += "2" }
  do throws(Failure) {
    try sum.merge(profile)
    _ = try ProfileFile.read(bytes: ProfileFile.bytes(of: profile))
  } catch {
    preconditionFailure("\(error)")
  }
}
