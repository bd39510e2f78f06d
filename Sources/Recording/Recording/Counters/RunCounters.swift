import DebugInfo
import FirstlightModel
import SystemSupport

/// The compiler's counters of one run's processes, by build. Missing or damaged ones are losses of their process.
struct RunCounters {
  private(set) var byBuild: [Int: SourceCounters] = [:]
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - traces: receive the losses, and lose counters that are not those of their binary.
  ///   - times: of the run's start and end, seconds since 1970.
  init(
    of traces: inout [Trace], _ catalogue: BuildCatalogue,
    during times: (start: Double, end: Double)
  ) {
    var ran: [Int: CountedRecords] = [:]
    var lost: [Int: [Int]] = [:]
    let counted = catalogue.countedFunctions(&problems)
    for (place, trace) in traces.enumerated() {
      // Breakpoints see no counters.
      for (number, image) in trace.images.enumerated() where image.recorder != .breakpoints {
        guard let build = catalogue.index(of: image), let functions = counted[build] else {
          continue
        }
        let count = functions.build.guardCount
        if let records = image.counters, records.count == count {
          ran[build, default: CountedRecords(count: count)].formUnion(records)
          continue
        }
        traces[place].images[number].counters = nil
        // A forked process counts in its parent's file.
        if trace.forkedFrom == nil { lost[build, default: []].append(place) }
      }
    }
    let seen = GuardCoverage(runs: 1, firstSeen: times.start, lastSeen: times.end)
    for (build, records) in ran {
      byBuild[build] = counted[build].map { functions in
        SourceCounters(runs: 1, of: functions.build) {
          records.contains($0) ? seen : GuardCoverage()
        }
      }
    }
    for (build, processes) in lost.sorted(by: { $0.key < $1.key }) {
      // A file that cannot be read is a loss already.
      for place in processes where traces[place].losses.unreadableSegments == 0 {
        traces[place].losses.lostImages += 1
      }
      problems.append(
        "\(catalogue.builds[build].path): the counters of "
          + "\(CountText.text(processes.count, "process", "processes")) are missing or damaged; "
          + "the disk or a limit on files had no room, or LLVM_PROFILE_FILE was set where they started "
          + "(--enable-code-coverage sets it)")
    }
  }
}

extension BuildCatalogue {
  /// By build: what its compiler counts.
  fileprivate func countedFunctions(_ problems: inout [String]) -> [Int: CountedFunctions] {
    var found: [Int: CountedFunctions] = [:]
    for (build, image) in debugImages.enumerated() {
      guard let image, image.hasCounters else { continue }
      Terminal.progress("reading counters of \(builds[build].path)")
      do throws(Failure) {
        found[build] = try image.countedFunctions(recordedPath: builds[build].path)
      } catch {
        problems.append(error.description)
      }
    }
    return found
  }
}
