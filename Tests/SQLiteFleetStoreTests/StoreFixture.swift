import FirstlightModel
import FleetModel
import FleetTestSupport
import GRDB
import SQLiteFleetStore
import TestSupport

/// A store in a folder of its own, and traces for it.
struct StoreFixture {
  static let program = BuildKey(buildID: BuildID("aa")!)
  static let library = BuildKey(buildID: BuildID("bb")!)
  static let today = FleetDay(number: 20_000)

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("fleet.sqlite")
  }

  func store() async throws -> SQLiteFleetStore {
    let store = try SQLiteFleetStore(path: path)
    try await store.prepare()
    return store
  }

  /// Looks into the file past the store.
  func texts(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: sql) }
  }

  /// Changes the file past the store.
  func execute(_ sql: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
  }

  /// A trace of a run of its own.
  static func trace(
    _ run: String, of builds: [(key: BuildKey, guards: Int)] = [(program, 300)],
    calls: [UInt32] = [1], on day: FleetDay = today
  ) -> CountedProcess {
    let images = builds.enumerated().map { place, build in
      ObservedProcess.Image(
        build: build.key, name: "/opt/app/\(build.key.buildID)", isExecutable: place == 0,
        guardCount: build.guards)
    }
    let process = ObservedProcess(
      run: run, process: "0", forkedFrom: nil, root: "0", host: "host", startedAt: day.start + 100,
      seconds: 1, readyAfter: nil, losses: Losses(), images: images,
      calls: images.indices.flatMap { place in
        calls.map { RecordedCall(build: Int32(place), guardIndex: $0, thread: 1, time: 5) }
      }, callers: [])
    return CountedProcess(process)
  }

  /// What a host sends of processes, and all of them as samples.
  static func rows(_ processes: [CountedProcess], publisher: UInt8 = 7) -> PublishedStates {
    .counting(processes, publisher: Self.publisher(publisher))
  }

  static func publisher(_ number: UInt8) -> PublisherID {
    PublisherID(repeatElement(number, count: PublisherID.byteCount))!
  }

  /// The functions of a build, each in a source file of its own.
  static func table(of key: BuildKey, guards: Int) -> FunctionTable {
    let functions = (0..<guards).map { index in
      Function(
        address: UInt64(0x1000 + index * 16), size: 16, name: "\(key.buildID)_\(index)",
        aliases: [], demangledName: "f", module: "", file: "/src/\(key.buildID)/\(index).c",
        line: 1, isCompilerGenerated: false, isLocal: false)
    }
    return FunctionTable(
      build: Build(
        buildID: key.buildID, path: "/opt/app/\(key.buildID)", kind: .executable,
        architecture: "x86_64", hasSymbols: true, hasDebugInfo: true, functions: functions,
        entryGuards: (0..<UInt32(guards)).map { $0 }, guardCount: guards), bodies: [])
  }
}
