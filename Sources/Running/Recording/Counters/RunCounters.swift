import FirstlightModel
import SystemSupport

/// The compiler's counters of one run's processes, by build. Missing or damaged ones are losses of their process.
struct RunCounters {
  private(set) var byBuild: [Int: SourceCounters] = [:]
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - traces: receive the losses.
  ///   - times: of the run's start and end, seconds since 1970.
  init(
    of traces: inout [Trace], _ catalogue: BuildCatalogue,
    during times: (start: Double, end: Double)
  ) {
    var files: [Int: [(path: String, trace: Int)]] = [:]
    var lost: [Int: [Int]] = [:]
    for (place, trace) in traces.enumerated() {
      for image in trace.images {
        guard let build = catalogue.index(of: image),
          catalogue.debugImages[build]?.hasCounters == true
        else { continue }
        if let file = image.counters {
          files[build, default: []].append((file, place))
        } else if trace.forkedFrom == nil {
          // A forked process counts in its parent's file.
          lost[build, default: []].append(place)
        }
      }
    }
    for (build, files) in files.sorted(by: { $0.key < $1.key }) {
      let path = catalogue.builds[build].path
      Terminal.progress("reading counters of \(path)")
      do throws(Failure) {
        let seen = GuardCoverage(runs: 1, firstSeen: times.start, lastSeen: times.end)
        let reading = try CounterTools().read(files.map(\.path), of: path, seen: seen)
        lost[build, default: []] += files.filter { reading.unreadable.contains($0.path) }.map(
          \.trace)
        if !reading.functions.isEmpty {
          byBuild[build] = SourceCounters(runs: 1, reading.functions)
        }
        if let warning = reading.warning { problems.append("\(path): \(warning)") }
      } catch {
        lost[build, default: []] += files.map(\.trace)
        problems.append(error.description)
      }
    }
    for (build, processes) in lost.sorted(by: { $0.key < $1.key }) where !processes.isEmpty {
      for place in processes { traces[place].losses.lostImages += 1 }
      problems.append(
        "\(catalogue.builds[build].path): the counters of "
          + "\(CountText.text(processes.count, "process", "processes")) are missing or damaged; "
          + "the disk or a limit on files had no room, or LLVM_PROFILE_FILE was set where they started "
          + "(--enable-code-coverage sets it)")
    }
  }
}
