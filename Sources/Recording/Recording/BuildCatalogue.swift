import DebugInfo
import FirstlightModel
import SystemSupport

/// The builds of the images that a run loaded, each indexed once.
struct BuildCatalogue {
  private(set) var builds: [Build] = []
  /// By index in `builds`; nil if the file could not be read.
  private(set) var debugImages: [DebugImage?] = []
  private(set) var problems: [String] = []
  private var indices: [Key: Int] = [:]
  /// Files that are open already: they stay readable when their paths lead elsewhere.
  private let open: BreakpointImages?

  init(open: BreakpointImages? = nil) { self.open = open }

  /// The identity of a build: its build id, else file and guards.
  private struct Key: Hashable {
    var buildID: BuildID?
    var path: String
    var recorder: Recorder
    var guardsStart: UInt64
    var guardCount: Int

    init(_ image: Image) {
      buildID = image.buildID
      path = image.buildID == nil ? image.path : ""
      recorder = image.recorder
      guardsStart = image.guardsStart
      guardCount = image.guardCount
    }
  }

  func index(of image: Image) -> Int? { indices[Key(image)] }

  mutating func add(_ image: Image) {
    let key = Key(image)
    guard indices[key] == nil else { return }
    Terminal.progress("indexing \(image.path)")
    var debugImage: DebugImage?
    var build: Build
    do throws(Failure) {
      let opened = try file(of: image)
      build = try Self.build(image, opened)
      debugImage = opened
      problems += Self.problems(of: image, opened, build)
    } catch {
      problems.append("\(error); its functions have no names")
      build = Build(
        buildID: image.buildID ?? Self.identity(of: image.path), path: image.path,
        kind: .sharedLibrary,
        architecture: HostInfo.describe().architecture, hasSymbols: false, hasDebugInfo: false,
        functions: [], entryGuards: [], guardCount: image.guardCount, recorder: image.recorder)
    }
    // A build at two paths gets the same index.
    if let known = builds.firstIndex(where: {
      $0.buildID == build.buildID && $0.recorder == build.recorder
    }) {
      if builds[known].guardCount == build.guardCount {
        indices[key] = known
      } else {
        problems.append(
          "\(image.path): its symbol table differs from that of its copy \(builds[known].path), so its functions "
            + "are left out; record copies in separate runs")
      }
      return
    }
    indices[key] = builds.count
    builds.append(build)
    debugImages.append(debugImage)
  }

  /// Stands in for that of a file which cannot be read.
  private static func identity(of path: String) -> BuildID {
    let digest = FNV1a.hash(of: path.utf8)
    return BuildID(fileDigest: withUnsafeBytes(of: digest.bigEndian) { Array($0) })
  }

  private static func build(_ image: Image, _ opened: DebugImage) throws(Failure) -> Build {
    var build: Build
    switch image.recorder {
    case .breakpoints:
      try opened.checkUnchanged()
      build = opened.symbolBuild(recordedPath: image.path)
      try opened.checkUnchanged()
      return build
    case .entryHooks: build = try opened.entryHookBuild(recordedPath: image.path)
    // Counters belong to an image that is recorded by something else.
    case .guards, .counters: build = try opened.build(recordedPath: image.path)
    }
    // The runtime's own debug information does not count.
    build.hasDebugInfo = build.guarded.contains { $0.file != nil || $0.isCompilerGenerated }
    return build
  }

  private static func problems(of image: Image, _ opened: DebugImage, _ build: Build) -> [String] {
    var problems: [String] = []
    if image.buildID == nil {
      problems.append(
        "\(image.path): has no build id, so it is identified by a hash of its file; link it with "
          + "-Wl,--build-id")
    }
    if image.recorder == .breakpoints {
      if !opened.hasLocalSymbols {
        problems.append(
          "\(image.path): has no symbol table: \(opened.functionEntries.unnamed) of its "
            + "\(build.guardCount) functions come from .eh_frame and are named fn_<address>, "
            + "which is enough for counts and pages but not for an order; \(BreakpointImages.advice)"
        )
      }
      return problems + opened.notes
    }
    if let broken = NakedFunctions.failure(of: opened, named: image.path) {
      problems.append("\(broken)")
    }
    if !build.hasSymbols {
      problems.append(
        "\(image.path): has no symbols, so its functions have no names; \(BreakpointImages.advice)")
    } else if !opened.notes.isEmpty {
      problems += opened.notes
    } else if !build.hasDebugInfo {
      problems.append(
        "\(image.path): has no debug information, so its functions have no file and line, and "
          + "compiler-generated ones are not recognised; build it with -g")
    }
    return problems
  }

  /// The image's file, if it is unchanged since the run.
  private func file(of image: Image) throws(Failure) -> DebugImage {
    let held = open?.entries.values.first {
      $0.path == image.path && $0.image.buildID == image.buildID
        && $0.addresses.count == image.guardCount
    }
    if let held { return held.image }
    let opened = try DebugFiles.image(of: image.path)
    let count =
      switch image.recorder {
      case .guards, .counters: opened.guardCount
      case .entryHooks: opened.unwindTable.count
      case .breakpoints: opened.functionEntries.addresses.count
      }
    guard image.buildID == nil || opened.buildID == image.buildID, count == image.guardCount else {
      throw Failure(
        .data, "\(image.path): not the build that ran",
        advice: "record again without rebuilding in the meantime")
    }
    return opened
  }
}
