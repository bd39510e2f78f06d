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
      let opened = try open(image)
      build =
        image.recorder == .entryHooks
        ? try opened.entryHookBuild(recordedPath: image.path)
        : try opened.build(recordedPath: image.path)
      // The runtime's own debug information does not count.
      build.hasDebugInfo = build.functions.contains { $0.file != nil || $0.isCompilerGenerated }
      debugImage = opened
      if let broken = NakedFunctions.failure(of: opened, named: image.path) {
        problems.append("\(broken)")
      }
      if image.buildID == nil {
        problems.append(
          "\(image.path): has no build id, so it is identified by a hash of its file; link it with "
            + "-Wl,--build-id")
      }
      if !build.hasSymbols {
        problems.append(
          "\(image.path): has no symbols, so its functions have no names; keep its symbols, or put "
            + "its debug file beside it or under /usr/lib/debug")
      } else if !opened.notes.isEmpty {
        problems += opened.notes
      } else if !build.hasDebugInfo {
        problems.append(
          "\(image.path): has no debug information, so its functions have no file and line, and "
            + "compiler-generated ones are not recognised; build it with -g")
      }
    } catch {
      problems.append("\(error); its functions have no names")
      build = Build(
        buildID: image.buildID ?? BuildID(fileDigest: []), path: image.path, kind: .sharedLibrary,
        architecture: HostInfo.describe().architecture, hasSymbols: false, hasDebugInfo: false,
        functions: [], entryGuards: [], guardCount: image.guardCount, recorder: image.recorder)
    }
    // A build at two paths gets the same index.
    if let known = builds.firstIndex(where: {
      $0.buildID == build.buildID && $0.recorder == build.recorder
    }) {
      indices[key] = known
      return
    }
    indices[key] = builds.count
    builds.append(build)
    debugImages.append(debugImage)
  }

  /// Opens the image's file, if it is unchanged since the run.
  private func open(_ image: Image) throws(Failure) -> DebugImage {
    let opened = try DebugFiles.image(of: image.path)
    guard image.buildID == nil || opened.buildID == image.buildID,
      image.recorder == .entryHooks
        ? opened.unwindTable.count == image.guardCount : opened.guardCount == image.guardCount
    else {
      throw Failure(
        .data, "\(image.path): not the build that ran",
        advice: "record again without rebuilding in the meantime")
    }
    return opened
  }
}
