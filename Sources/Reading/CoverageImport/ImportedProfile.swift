import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// A profile from coverage files of one binary; each file counts as a run.
package struct ImportedProfile {
  package private(set) var profile: Profile
  private let format: CoverageFormat
  private let binary: String
  private let places: FunctionPlaces

  /// - Parameters:
  ///   - binary: the binary's path as the user gave it, for messages.
  package init(_ format: CoverageFormat, of build: Build, binary: String) {
    (self.format, self.binary) = (format, binary)
    profile = Profile(builds: [RecordedBuild(build: build)])
    places = FunctionPlaces(build)
  }

  /// Number of called functions, out of all functions of the binary.
  package var calledFunctions: Int { profile.builds[0].coverage.count { $0.isCalled } }

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

  private mutating func add(_ calls: ImportedCalls, of file: String) {
    var status = stat()
    stat(file, &status)
    let moment = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
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

  /// - Throws: `Failure` if the file cannot be read or has another format.
  package func calls(in file: String, _ places: FunctionPlaces) throws -> ImportedCalls {
    switch self {
    case .sancov: try SancovFile.calls(in: file, places)
    case .lcov: try LCOVFile.calls(in: file, places)
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
  /// Digest of the file's contents.
  package var digest: String
}

/// Finds functions of a build by address, name or source line.
package struct FunctionPlaces {
  private var byName: [String: [Int]] = [:]
  private var byLine: [String: [Int]] = [:]
  /// Entry address, end and guard of each function, by address.
  private var byAddress: [(start: UInt64, end: UInt64, index: Int)] = []

  package init(_ build: Build) {
    for (function, entryGuard) in zip(build.functions, build.entryGuards) {
      let index = Int(entryGuard)
      for name in [function.name, function.demangledName] + function.aliases where !name.isEmpty {
        byName[name, default: []].append(index)
      }
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

  private func afterLastColon(_ name: String) -> String {
    name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
