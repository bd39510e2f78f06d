import Foundation
import Ordering

/// Sets balanced orders against `llvm-profdata order` on made-up traces. Every fifth trace is held
/// out; both get the others, and what the held-out ones touch is counted with the same sizes.
@main
struct OrderingBenchmark {
  static func main() throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
    guard numbers.count >= 3, numbers.count == CommandLine.arguments.count - 1 else {
      print("usage: OrderingBenchmark FUNCTIONS TRACES SEED...")
      exit(64)
    }
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "firstlight-ordering-\(getpid())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    print(
      "seed       calls  link/llvm  first/llvm  balanced/llvm  pages   llvm wall  cpu"
        + "    balanced wall  cpu    wall ratio  cpu ratio")
    for seed in numbers.dropFirst(2) {
      let traces = SyntheticTraces(
        functions: Int(numbers[numbers.startIndex]), traces: Int(numbers[numbers.startIndex + 1]),
        seed: seed)
      print(try compare(traces.problem(), seed: seed, in: directory))
    }
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    print("largest memory of this process: \(usage.ru_maxrss / 1024) MiB")
  }

  private static func compare(
    _ all: OrderingProblem, seed: UInt64, in directory: URL
  ) throws -> String {
    var training = all
    var test = all
    training.traces = all.traces.enumerated().filter { $0.offset % 5 != 4 }.map(\.element)
    test.traces = all.traces.enumerated().filter { $0.offset % 5 == 4 }.map(\.element)

    let (balanced, ownTime) = Time.of { BalancedPartitioning.order(training) }
    let profile = directory.appending(path: "train.proftext")
    let output = directory.appending(path: "order")
    let names = all.sizes.indices.map { "f\($0)" }
    try ProftextFormat.text(traces: training.traces, names: names)
      .write(to: profile, atomically: false, encoding: .utf8)
    let (_, peerTime) = try Time.of {
      try run(["llvm-profdata", "order", profile.path, "--output=\(output.path)"])
    }
    let peer = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("f") }.compactMap { Int32($0.dropFirst()) }

    let reference = PageTouch(of: peer, for: test)
    func ratio(_ order: [Int32]) -> Double {
      Double(PageTouch(of: order, for: test).area) / Double(reference.area)
    }
    let own = PageTouch(of: balanced, for: test)
    let columns = [
      String(format: "%-6d %9d", Int(seed), all.traces.reduce(0) { $0 + $1.count }),
      String(format: "%9.3f  %10.3f", ratio([]), ratio(training.firstCallOrder())),
      String(format: "%13.3f  %5.3f", ratio(balanced), Double(own.pages) / Double(reference.pages)),
      String(format: "%8.2fs  %5.2fs", peerTime.wall, peerTime.processor),
      String(format: "%9.2fs  %5.2fs", ownTime.wall, ownTime.processor),
      String(format: "%10.2f", ownTime.wall / peerTime.wall),
      String(format: "%9.2f", ownTime.processor / peerTime.processor),
    ]
    return columns.joined(separator: "  ")
  }

  private static func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: arguments[0]])
    }
  }
}

/// Seconds, on the clock and of processors, this process's and its children's.
struct Time {
  var wall = 0.0
  var processor = 0.0

  static func of<Result>(_ work: () throws -> Result) rethrows -> (Result, Time) {
    let start = now()
    let result = try work()
    let end = now()
    return (result, Time(wall: end.wall - start.wall, processor: end.processor - start.processor))
  }

  private static func now() -> Time {
    var sum = 0.0
    for who in [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue] {
      var usage = rusage()
      getrusage(who, &usage)
      for time in [usage.ru_utime, usage.ru_stime] {
        sum += Double(time.tv_sec) + Double(time.tv_usec) / 1e6
      }
    }
    return Time(wall: Double(DispatchTime.now().uptimeNanoseconds) / 1e9, processor: sum)
  }
}
