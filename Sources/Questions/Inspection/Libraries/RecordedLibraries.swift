import FirstlightModel
import Glibc
import Recording
import SystemSupport

/// The recorded use of libraries by a profile's first process.
struct RecordedLibraries {
  /// The executable.
  let path: String
  /// Use by real path.
  private(set) var runs: [TextBytes: LibraryRun] = [:]
  /// Libraries that the program itself opened, in order.
  private(set) var later: [String] = []
  let ready: Double?
  private(set) var notes: [String] = []

  /// Fails with `.data`, naming the profile, if no process has a trace.
  init(_ profile: Profile, from file: String) throws(Failure) {
    guard let process = profile.processes.first(where: { !$0.isTraceLeftOut && $0.callCount > 0 })
    else {
      throw Failure(
        .data, "\(file): contains no trace of a process",
        advice: "use the profile of one run, or the binary itself")
    }
    path = process.path
    ready = process.readyAfter
    if profile.processes.count > 1 {
      notes.append(
        "Run data is from process \(process.pid), the first of \(profile.processes.count)."
      )
    }
    for image in process.launch?.images ?? [] {
      let path = AbsolutePath.resolved(image.path) ?? image.path
      runs[path, default: LibraryRun()].mapping = image.mapping.map { Double($0) / 1e9 }
      runs[path]?.relocating = image.relocating.map { Double($0) / 1e9 }
      if image.isLoadedLater { later.append(path) }
    }
    for run in process.launch?.initializers ?? [] {
      guard let duration = run.duration else { continue }
      let path = AbsolutePath.resolved(run.image) ?? run.image
      let sum = runs[path, default: LibraryRun()].initializing ?? 0
      runs[path]?.initializing = sum + Double(duration) / 1e9
    }
    readCalls(of: process, profile)
    if process.launch == nil {
      notes.append(
        "The profile has no load times; record them with: firstlight launch --profile app.flp -- COMMAND"
      )
    }
    if ready == nil {
      notes.append("The program did not report ready, so late first uses are not shown.")
    }
  }

  private mutating func readCalls(of process: RecordedProcess, _ profile: Profile) {
    let paths = profile.builds.map { AbsolutePath.resolved($0.build.path) ?? $0.build.path }
    for path in paths { runs[path, default: LibraryRun()].isWatched = true }
    var initializers: [TextBytes: Set<UInt64>] = [:]
    for run in process.launch?.initializers ?? [] {
      initializers[AbsolutePath.resolved(run.image) ?? run.image, default: []].insert(run.address)
    }
    var pages: [Int: Set<UInt64>] = [:]
    var isStarting = [Bool](repeating: false, count: process.calls.count)
    for (index, call) in process.calls.enumerated() {
      let build = Int(call.build)
      let recorded = profile.builds[build].build
      guard let place = recorded.function(ofGuard: call.guardIndex) else { continue }
      let function = recorded.functions[place]
      runs[paths[build]]?.functions += 1
      if let address = function.address {
        let last = address + max(function.size, 1) - 1
        pages[build, default: []].formUnion(address / PageSize.reported...last / PageSize.reported)
      }
      // Calls from a library's own initializer do not count as use.
      var parent: Int?
      if process.returns.count == process.calls.count, process.returns[index].parent >= 0 {
        parent = Int(process.returns[index].parent)
      }
      isStarting[index] =
        Self.frame.contains(function.name)
        || function.address.map { initializers[paths[build]]?.contains($0) ?? false } ?? false
        || parent.map { isStarting[$0] && process.calls[$0].build == call.build } ?? false
      if !isStarting[index], runs[paths[build]]?.firstUse == nil {
        runs[paths[build]]?.firstUse = Double(call.time) / 1e9
      }
    }
    for (build, touched) in pages { runs[paths[build]]?.codePages = touched.count }
  }

  /// Functions of the C start files.
  private static let frame: Set<TextBytes> = [
    "_init", "_fini", "frame_dummy", "__do_global_dtors_aux", "register_tm_clones",
    "deregister_tm_clones",
  ]
}
