import FirstlightModel
import Glibc
import SystemSupport

/// A profile from files of LLVM's instrumentation of one binary; each file counts as a run.
package struct ImportedProfile {
  package private(set) var profile: Profile
  private let binary: String
  private let places: FunctionPlaces
  /// Guards of the functions that the files have records of; nil before the first file.
  private var recorded: Set<Int>?

  /// - Parameters:
  ///   - binary: the binary's path as the user gave it, for messages.
  package init(of build: Build, binary: String) {
    self.binary = binary
    profile = Profile(builds: [RecordedBuild(build: build)])
    places = FunctionPlaces(build)
  }

  /// Removes functions without a record in any file, because nothing is known about their calls.
  package mutating func finish() {
    let build = profile.builds[0].build
    // With guards, those between two entry guards belong to the first function, so none may be missing.
    guard let recorded, build.recorder != .guards else { return }
    profile.builds[0].build.functions.removeAll { function in
      function.guardIndex.map { !recorded.contains(Int($0)) } ?? false
    }
  }

  /// Number of called functions.
  package var calledFunctions: Int {
    let counters = profile.builds[0].counters
    if !counters.isEmpty { return counters.functions.count { $0.counted.isCalled } }
    return profile.builds[0].coverage.count { $0.isCalled }
  }

  /// Number of functions whose calls were recorded.
  package var functions: Int {
    let build = profile.builds[0].build
    if !profile.builds[0].counters.isEmpty { return profile.builds[0].counters.functions.count }
    return build.recorder == .guards ? build.guardCount : build.guarded.count
  }

  /// Adds the functions of a file, unless a file with the same contents was added before.
  ///
  /// - Parameter text: its contents as a text profile.
  /// - Throws: `Failure` if the file cannot be read, or names no function of the binary.
  package mutating func add(_ file: String, text: [UInt8]) throws(Failure) {
    guard let run = try newRun(of: file) else { return }
    let calls = try LLVMProfileFile.calls(in: text, file, places)
    guard calls.known > 0 else { throw noFunction(calls, in: file) }
    add(calls, of: file, run)
  }

  /// Adds the compiler's counters of a file, unless a file with the same contents was added before.
  ///
  /// - Parameters:
  ///   - counters: its functions with their hashes.
  ///   - build: recorded by counters.
  ///   - records: the records of a function, by name and hash.
  /// - Throws: `Failure` if the file counts no function of the binary.
  package mutating func add(
    _ file: String, counters: [(name: String, code: UInt64, isCalled: Bool)], of build: Build,
    records: (_ name: String, _ code: UInt64) -> [Int]
  ) throws(Failure) {
    guard let run = try newRun(of: file) else { return }
    var ran: Set<Int> = []
    var calls = ImportedCalls()
    for function in counters {
      let found = records(function.name, function.code)
      if found.isEmpty { calls.unknown += 1 } else { calls.known += 1 }
      if function.isCalled { ran.formUnion(found) }
    }
    guard calls.known > 0 else { throw noFunction(calls, in: file) }
    let time = Self.time(of: file)
    let seen = GuardCoverage(runs: 1, firstSeen: time, lastSeen: time)
    let counters = SourceCounters(runs: 1, of: build) {
      ran.contains($0) ? seen : GuardCoverage()
    }
    for function in counters.functions {
      let found = places.guards(name: function.name, inFile: function.file ?? "")
      calls.recorded.formUnion(found)
      if function.counted.isCalled { calls.guards.formUnion(found) }
    }
    add(calls, of: file, run)
    profile.builds[0].counters.add(counters)
  }

  private func noFunction(_ calls: ImportedCalls, in file: String) -> Failure {
    Failure(
      .data, "\(file): none of its \(CountText.text(calls.unknown, "function")) is in \(binary)",
      advice: "use the binary that it was recorded with")
  }

  /// The id of the run that a file stands for: a digest of its contents. nil if that run was added before.
  private func newRun(of file: String) throws(Failure) -> String? {
    let bytes = try FileContents.argument(file)
    let id = HexText.of(FNV1a.hash(of: bytes)) + HexText.of(FNV1a.hash(of: bytes.reversed()))
    return profile.runs.contains { $0.id == id } ? nil : id
  }

  /// Seconds since 1970.
  private static func time(of file: String) -> Double {
    var status = stat()
    stat(file, &status)
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// Notes what lists are to say of the file that was added last.
  package mutating func note(_ problem: String) {
    profile.runs[profile.runs.count - 1].problems.append(problem)
  }

  private mutating func add(_ calls: ImportedCalls, of file: String, _ run: String) {
    recorded = calls.recorded.union(recorded ?? [])
    let moment = Self.time(of: file)
    var problems: [String] = []
    if calls.unknown > 0 {
      problems.append(
        "\(file): \(CountText.text(calls.unknown, "function")) not found in \(binary)")
    }
    profile.runs.append(
      Run(
        id: run, command: ["import", "llvm", file],
        host: HostInfo.describe(), startedAt: moment, endedAt: moment,
        ending: .other("imported from llvm"), problems: problems))
    profile.builds[0].runs += 1
    for index in calls.guards { profile.builds[0].coverage[index].count(at: moment) }
    let path = profile.builds[0].build.path
    for (place, trace) in calls.traces.enumerated() {
      profile.processes.append(
        RecordedProcess(
          id: "\(run)-\(place)", run: run, pid: UInt32(place + 1), parentPID: 0,
          forkedFrom: nil, path: path, arguments: [path], startedAt: moment, readyAfter: nil,
          losses: Losses(),
          calls: trace.map { RecordedCall(build: 0, guardIndex: UInt32($0), thread: 0, time: 0) }))
    }
  }
}

extension GuardCoverage {
  fileprivate mutating func count(at moment: Double) {
    firstSeen = isCalled ? min(firstSeen, moment) : moment
    lastSeen = max(lastSeen, moment)
    runs += 1
  }
}

/// The calls in one imported file.
package struct ImportedCalls {
  /// Indices of the called guards.
  package var guards: Set<Int> = []
  /// Number of the file's functions that the binary has and lacks.
  package var known = 0
  package var unknown = 0
  /// Guards of the functions that the file has a record of.
  package var recorded: Set<Int> = []
  /// Guards in the order of first calls, for each process whose order is known.
  package var traces: [[Int]] = []
}

/// Finds functions of a build by the names that LLVM's counters have for them.
package struct FunctionPlaces {
  private var byName: [TextBytes: [Int]] = [:]
  private var files: [Int: String] = [:]

  package init(_ build: Build) {
    for (function, guardIndex) in zip(build.guarded, build.entryGuards) {
      let index = Int(guardIndex)
      let names = Set(texts: [function.name, function.demangledName] + function.aliases)
      for name in names where name != "" {
        byName[name, default: []].append(index)
      }
      files[index] = function.file
    }
  }

  /// Guards of the functions with a name. Of several local ones, those in a file whose path ends with `file`, if any.
  package func guards(name: String, inFile file: String) -> [Int] {
    let found = byName[name] ?? []
    guard found.count > 1 else { return found }
    let there = found.filter { files[$0]?.ends(with: file) == true }
    return there.isEmpty ? found : there
  }
}
