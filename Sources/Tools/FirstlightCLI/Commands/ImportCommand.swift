import ArgumentParser
import CoverageImport
import DebugInfo
import FirstlightModel
import Glibc
import ProfileFile
import Recording
import ReportFormats
import SystemSupport
import TextFormatting

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports LCOV and sancov files as a profile.",
    discussion: """
        firstlight import sancov app.123.sancov --binary app -o app.flp
        llvm-cov export --format=lcov -instr-profile=app.profdata app > app.info
        firstlight import lcov app.info --binary app -o app.flp

      Each file counts as one run. A file that is imported twice is the same run: merge counts \
      it once.
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case sancov, lcov
  }

  @Argument(
    help: "File format: sancov (sanitizer coverage) or lcov (function records of tracefiles).")
  var kind: Kind

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The executable or shared library that ran, not stripped.", valueName: "file"),
    completion: .file())
  var binary: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Output profile.", valueName: "file.flp"),
    completion: .profile)
  var output: String

  func run() throws {
    let image = try DebugFiles.image(of: binary)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(binary): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    let path = AbsolutePath.of(binary)
    let build =
      switch kind {
      case .sancov: try image.sanitizedBuild(recordedPath: path)
      case .lcov: try image.sourceBuild(recordedPath: path)
      }
    let places = FunctionPlaces(build)
    var profile = Profile(builds: [RecordedBuild(build: build)])
    for file in files {
      let calls =
        switch kind {
        case .sancov: try SancovFile.calls(in: file, places)
        case .lcov: try LCOVFile.calls(in: file, places)
        }
      guard calls.known > 0 else {
        throw Failure(
          .data,
          "\(file): none of its \(CountText.text(calls.unknown, "function")) is in \(binary)",
          advice: "use the binary that it was recorded with")
      }
      add(calls, of: file, to: &profile)
    }
    try ProfileFile.write(profile, to: output)
    let called = profile.builds[0].coverage.count { $0.isCalled }
    Terminal.report(
      "imported \(CountText.text(files.count, "run")), \(CountText.number(called)) of "
        + "\(CountText.text(build.guardCount, "function")) called -> \(output)")
  }

  private func add(_ calls: ImportedCalls, of file: String, to profile: inout Profile) {
    var status = stat()
    stat(file, &status)
    let moment = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    var problems: [String] = []
    if calls.unknown > 0 {
      problems.append(
        "\(file): \(CountText.text(calls.unknown, "function")) not found in \(binary)")
    }
    guard !profile.runs.contains(where: { $0.id == calls.digest }) else { return }
    profile.runs.append(
      Run(
        id: calls.digest, command: ["import", kind.rawValue, file],
        host: HostInfo.describe(), startedAt: moment, endedAt: moment,
        outcome: "imported from \(kind.rawValue)", problems: problems))
    profile.builds[0].runs += 1
    for index in calls.guards {
      profile.builds[0].coverage[index].count(at: moment)
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
