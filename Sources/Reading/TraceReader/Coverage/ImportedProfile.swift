import FirstlightModel
import Glibc
import SystemSupport

/// A profile from coverage files of one binary; each file counts as a run.
package struct ImportedProfile {
  package private(set) var profile: Profile
  private let format: CoverageFormat
  private let binary: String
  private let places: FunctionPlaces
  /// Guards of the functions that the files have records of; nil: of all.
  private var recorded: Set<Int>?

  /// - Parameters:
  ///   - binary: the binary's path as the user gave it, for messages.
  package init(_ format: CoverageFormat, of build: Build, binary: String) {
    (self.format, self.binary) = (format, binary)
    profile = Profile(builds: [RecordedBuild(build: build)])
    places = FunctionPlaces(build)
  }

  /// Removes functions without a record in any file, because nothing is known about their calls.
  package mutating func finish() {
    let build = profile.builds[0].build
    // With guards, those between two entry guards belong to the first function, so none may be missing.
    guard let recorded, build.recorder != .guards else { return }
    let kept = zip(build.functions, build.entryGuards).filter { recorded.contains(Int($1)) }
    profile.builds[0].build.functions = kept.map(\.0)
    profile.builds[0].build.entryGuards = kept.map(\.1)
  }

  /// Number of called functions.
  package var calledFunctions: Int {
    let counters = profile.builds[0].counters
    if !counters.isEmpty { return counters.functions.count { $0.seen.isCalled } }
    return profile.builds[0].coverage.count { $0.isCalled }
  }

  /// Number of functions whose calls were recorded.
  package var functions: Int {
    let build = profile.builds[0].build
    if !profile.builds[0].counters.isEmpty { return profile.builds[0].counters.functions.count }
    return build.recorder == .guards ? build.guardCount : build.functions.count
  }

  /// Adds a file, unless a file with the same contents was added before.
  ///
  /// - Throws: `Failure` if the file cannot be read, or names no function of the binary.
  package mutating func add(_ file: String) throws {
    let calls = try format.calls(in: file, places)
    guard calls.known > 0 else {
      throw Failure(
        .data,
        "\(file): none of its \(CountText.text(calls.unknown, "function")) is in \(binary)",
        advice: "use the binary that it was recorded with")
    }
    guard !profile.runs.contains(where: { $0.id == calls.digest }) else { return }
    add(calls, of: file)
  }

  /// Adds the compiler's counters of a file.
  ///
  /// - Parameter count: reads the functions, given the coverage of a counted one.
  /// - Throws: `Failure` if the file counts no function of the binary, or like `count`.
  package mutating func add(
    countersOf file: String, _ count: (GuardCoverage) throws -> [CountedFunction]
  ) throws {
    var calls = ImportedCalls(digest: RunDigest.text(try FileContents.argument(file)))
    guard !profile.runs.contains(where: { $0.id == calls.digest }) else { return }
    let time = Self.time(of: file)
    let functions = try count(GuardCoverage(runs: 1, firstSeen: time, lastSeen: time))
    guard !functions.isEmpty else {
      throw Failure(
        .data, "\(file): counts no function of \(binary)",
        advice: "use the binary that it was recorded with")
    }
    calls.recorded = []
    for function in functions {
      let found = places.guards(name: function.name, inFile: function.file)
      calls.recorded?.formUnion(found)
      if function.seen.isCalled { calls.guards.formUnion(found) }
    }
    add(calls, of: file)
    profile.builds[0].counters.add(SourceCounters(runs: 1, functions))
  }

  /// Seconds since 1970.
  private static func time(of file: String) -> Double {
    var status = stat()
    stat(file, &status)
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  private mutating func add(_ calls: ImportedCalls, of file: String) {
    if let own = calls.recorded { recorded = own.union(recorded ?? []) }
    let moment = Self.time(of: file)
    var problems: [String] = []
    if calls.unknown > 0 {
      problems.append(
        "\(file): \(CountText.text(calls.unknown, "function")) not found in \(binary)")
    }
    profile.runs.append(
      Run(
        id: calls.digest, command: ["import", format.rawValue, file],
        host: HostInfo.describe(), startedAt: moment, endedAt: moment,
        ending: .other("imported from \(format.rawValue)"), problems: problems))
    profile.builds[0].runs += 1
    for index in calls.guards { profile.builds[0].coverage[index].count(at: moment) }
    let path = profile.builds[0].build.path
    for (place, trace) in calls.traces.enumerated() {
      profile.processes.append(
        RecordedProcess(
          id: "\(calls.digest)-\(place)", run: calls.digest, pid: UInt32(place + 1), parentPID: 0,
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

/// A coverage format of other tools.
package enum CoverageFormat: String, CaseIterable, Sendable {
  /// Addresses dumped by sanitizer coverage.
  case sancov
  /// Function records of tracefiles.
  case lcov
  /// Profiles of LLVM's instrumentation; text of those without a coverage mapping.
  case llvm

  /// - Throws: `Failure` if the file cannot be read or has another format.
  package func calls(in file: String, _ places: FunctionPlaces) throws -> ImportedCalls {
    switch self {
    case .sancov: try SancovFile.calls(in: file, places)
    case .lcov: try LCOVFile.calls(in: file, places)
    case .llvm: try LLVMProfileFile.calls(in: file, places)
    }
  }
}

/// The calls in one imported file.
package struct ImportedCalls {
  /// Indices of the called guards.
  package var guards: Set<Int> = []
  /// Number of the file's functions that the binary has and lacks.
  package var known = 0
  package var unknown = 0
  /// Guards of the functions that the file has a record of; nil: the format does not say.
  package var recorded: Set<Int>?
  /// Guards in the order of first calls, for each process whose order is known.
  package var traces: [[Int]] = []
  /// Digest of the file's contents.
  package var digest: String
}

/// Finds functions of a build by address, name or source line.
package struct FunctionPlaces {
  private var byName: [String: [Int]] = [:]
  private var byLine: [String: [Int]] = [:]
  private var files: [Int: String] = [:]
  /// Entry address, end and guard of each function, by address.
  private var byAddress: [(start: UInt64, end: UInt64, index: Int)] = []

  package init(_ build: Build) {
    for (function, guardIndex) in zip(build.functions, build.entryGuards) {
      let index = Int(guardIndex)
      let names = Set([function.name, function.demangledName] + function.aliases)
      for name in names where !name.isEmpty {
        byName[name, default: []].append(index)
      }
      files[index] = function.file
      if let file = function.file, function.line > 0 {
        byLine["\(file):\(function.line)", default: []].append(index)
      }
      if let address = function.address {
        byAddress.append((address, address + max(function.size, 1), index))
      }
    }
    byAddress.sort { $0.start < $1.start }
  }

  /// The guard of the function that contains a link-time address.
  package func guardIndex(at address: UInt64) -> Int? {
    let next = byAddress.partitioningIndex { $0.start > address }
    guard next > 0, address <= byAddress[next - 1].end else { return nil }
    return byAddress[next - 1].index
  }

  /// Guards of the functions with a name, or on a source line if the name is unknown.
  package func guards(name: String, file: String, line: Int) -> [Int] {
    // LLVM prefixes file-local names with the file.
    let plain = name.split(separator: ";").last.map(String.init) ?? name
    return byName[name] ?? byName[plain] ?? byName[afterLastColon(plain)]
      ?? byLine["\(file):\(line)"] ?? []
  }

  /// Guards of the functions with a name. Of several local ones, those in a file whose path ends with `file`, if any.
  package func guards(name: String, inFile file: String) -> [Int] {
    let found = guards(name: name, file: "", line: 0)
    guard found.count > 1 else { return found }
    let there = found.filter { files[$0]?.hasSuffix(file) == true }
    return there.isEmpty ? found : there
  }

  private func afterLastColon(_ name: String) -> String {
    name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
