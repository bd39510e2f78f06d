import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// A profile made from coverage files of one binary; each file counts as a run.
package struct ImportedProfile {
  package private(set) var profile: Profile
  private let format: CoverageFormat
  private let binary: String
  private let places: FunctionPlaces

  /// - Parameters:
  ///   - binary: its path as the user gave it, for messages.
  package init(_ format: CoverageFormat, of build: Build, binary: String) {
    (self.format, self.binary) = (format, binary)
    profile = Profile(builds: [RecordedBuild(build: build)])
    places = FunctionPlaces(build)
  }

  /// How many functions were called, of all that the binary has.
  package var calledFunctions: Int { profile.builds[0].coverage.count { $0.isCalled } }

  /// Adds a file, unless one of the same contents is there.
  ///
  /// - Throws: `Failure` if it cannot be read, or names no function of the binary.
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
        outcome: "imported from \(format.rawValue)", problems: problems))
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
