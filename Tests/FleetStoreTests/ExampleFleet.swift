import FirstlightModel
import FleetModel
import TestSupport

/// Made-up runs of made-up programs, the same for the same seed.
struct ExampleFleet {
  var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(state: seed) }

  /// The builds "a" of 300 guards and "b", a library, of 70.
  static let program = optimised(
    build("aaaa", path: "/opt/app/bin/server", kind: .executable, guards: 300))
  static let library = build("bbbb", path: "/opt/app/lib/libb.so", kind: .sharedLibrary, guards: 70)

  static func build(_ id: String, path: String, kind: ImageKind, guards: Int) -> Build {
    Build(
      buildID: BuildID(id)!, path: path, kind: kind, architecture: "x86_64", hasSymbols: true,
      hasDebugInfo: true,
      functions: (0..<guards).map { index in
        Function(
          address: UInt64(0x1000 + index * 0x20), size: 0x18, name: "\(id)_\(index)",
          aliases: index % 50 == 1 ? ["alias_\(index)"] : [],
          demangledName: "function \(index) of \(id)", module: index % 3 == 0 ? "M" : "",
          file: index % 7 == 0 ? nil : "/src/\(index % 5).c", line: index,
          isCompilerGenerated: index % 11 == 0, isLocal: index % 13 == 0)
      }, entryGuards: (0..<UInt32(guards)).map { $0 }, guardCount: guards)
  }

  /// As an optimiser leaves a build: functions without guard, and copies in those that have one.
  private static func optimised(_ build: Build) -> Build {
    var build = build
    build.isOptimised = true
    build.functions += (0..<9).map { index in
      Function(
        address: index % 4 == 0 ? nil : UInt64(0x9000 + index * 0x20), size: UInt64(index * 9),
        name: "unguarded_\(index)", aliases: [], demangledName: "unguarded \(index)",
        module: index % 2 == 0 ? "M" : "", file: index % 3 == 0 ? nil : "/src/\(index % 5).c",
        line: 1000 + index, isCompilerGenerated: index == 8, isLocal: index % 2 == 0)
    }
    build.functions += (0..<60).map { index in
      // Some of functions that have a guard of their own as well, some that nothing else tells of.
      let known = index < 40 ? build.functions[index * 7] : nil
      return Function(
        code: .copies(of: [UInt32(index), UInt32(index + 200)], unknownHost: index % 6 == 0),
        name: known?.name ?? "inlined_\(index)", demangledName: known?.demangledName ?? "inlined",
        module: known?.module ?? "M", file: known.map(\.file) ?? "/src/\(index % 5).c",
        line: known?.line ?? index)
    }
    return build
  }

  static func key(_ build: Build) -> BuildKey { BuildKey(buildID: build.buildID) }

  /// One run as `firstlight record` would have made it: a process, and sometimes forked ones.
  mutating func run(_ number: Int) -> Profile {
    let builds = [Self.program, Self.library]
    var profile = Profile(builds: builds.map { RecordedBuild(build: $0) })
    let start = Double(1_790_000_000 + number * 977)
    let host = Host(
      name: "host \(number % 5)", kernel: "k", architecture: "x86_64", processor: "p", cores: 2)
    profile.runs = [
      Run(
        id: "run \(number)", command: ["server"], host: host, startedAt: start,
        endedAt: start + 8, ending: .exited(0), problems: [])
    ]
    let processes = Int.random(in: 1...3, using: &generator)
    for place in 0..<processes {
      let startedAt = start + Double(place) / 2
      let calls = calls()
      for call in calls {
        let seen = startedAt + Double(call.time) / 1e9
        var entry = profile.builds[Int(call.build)].coverage[Int(call.guardIndex)]
        entry.firstSeen = entry.isCalled ? min(entry.firstSeen, seen) : seen
        entry.lastSeen = max(entry.lastSeen, seen)
        entry.runs = 1
        profile.builds[Int(call.build)].coverage[Int(call.guardIndex)] = entry
        profile.builds[Int(call.build)].runs = 1
      }
      profile.processes.append(
        RecordedProcess(
          id: "\(100 + place)-\(number)-0", run: "run \(number)", pid: UInt32(100 + place),
          parentPID: 1, forkedFrom: place == 0 ? nil : "100-\(number)-0",
          path: Self.program.path, arguments: [], startedAt: startedAt,
          readyAfter: place == 0 ? Double.random(in: 0.01...0.5, using: &generator) : nil,
          losses: Losses(uncommitted: number % 17 == 0 ? 1 : 0), calls: calls))
    }
    return profile
  }

  /// Few functions are called by all, many by few.
  private mutating func calls() -> [RecordedCall] {
    var calls: [RecordedCall] = []
    var time: UInt64 = 1000
    for (build, guards) in [(Int32(0), 300), (Int32(1), 70)] {
      for guardIndex in 0..<guards {
        let share = 1.0 / Double(1 + guardIndex % 60)
        // The last tenth is never called.
        guard guardIndex < guards * 9 / 10, Double.random(in: 0..<1, using: &generator) < share
        else { continue }
        calls.append(RecordedCall(build: build, guardIndex: UInt32(guardIndex), thread: 7, time: 0))
      }
    }
    calls.shuffle(using: &generator)
    for index in calls.indices {
      time += UInt64.random(in: 1...50_000_000, using: &generator)
      calls[index].time = time
    }
    return calls
  }
}
