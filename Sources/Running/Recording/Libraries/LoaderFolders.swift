import FirstlightModel
import Glibc
import SystemSupport

/// The loader's search folders for libraries, in order (ld.so(8)).
struct LoaderFolders {
  let architecture: String
  /// Kinds of processor with their own folders (glibc-hwcaps) that include this one, best first.
  let capabilities: [String]
  /// `LD_LIBRARY_PATH`.
  let environment: [String]
  private let cache: LoaderCache

  init(architecture: String) {
    self.architecture = architecture
    capabilities = Self.capabilities(architecture)
    let path = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    // An empty part means the working directory.
    environment =
      path.isEmpty
      ? []
      : path.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
        .map { $0.isEmpty ? "." : String($0) }
    cache = LoaderCache(architecture: architecture)
  }

  /// Possible paths of a library, in the order of the search; none need exist.
  ///
  /// - Parameters:
  ///   - image: the image that needs the library.
  ///   - loaders: the chain of images that loaded that image, nearest first; the binary last.
  func places(of name: String, for image: BinaryFacts, loaders: [BinaryFacts]) -> [String] {
    if name.contains("/") { return [expand(name, image)] }
    var folders: [String] = []
    let own = image.dynamic
    // DT_RUNPATH disables the DT_RPATH of all.
    if own.runPath.isEmpty || own.isRunPathInherited {
      for facts in [image] + loaders where facts.dynamic.isRunPathInherited {
        folders += facts.dynamic.runPath.map { expand($0, facts) }
      }
    }
    folders += environment.map { expand($0, image) }
    if !own.isRunPathInherited { folders += own.runPath.map { expand($0, image) } }
    var places = folders.flatMap { within($0, name) }
    if !own.skipsUsualFolders {
      places += cache.paths(name, capabilities: capabilities)
      places += usual.flatMap { within($0, name) }
    }
    return places
  }

  private func within(_ folder: String, _ name: String) -> [String] {
    capabilities.map { "\(folder)/glibc-hwcaps/\($0)/\(name)" } + ["\(folder)/\(name)"]
  }

  /// Debian's default folders, then glibc's.
  private var usual: [String] {
    let machine = "\(architecture)-linux-gnu"
    return ["/lib/\(machine)", "/usr/lib/\(machine)", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]
  }

  /// Replaces `$ORIGIN`, `$LIB` and `$PLATFORM`.
  private func expand(_ path: String, _ image: BinaryFacts) -> String {
    guard path.contains("$") else { return path }
    let file = AbsolutePath.resolved(image.path) ?? AbsolutePath.of(image.path)
    let origin = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
    let values = [
      ("ORIGIN", origin), ("LIB", "lib/\(architecture)-linux-gnu"), ("PLATFORM", architecture),
    ]
    var path = path
    for (name, value) in values {
      for token in ["${\(name)}", "$\(name)"] {
        while let place = path.firstRange(of: token) { path.replaceSubrange(place, with: value) }
      }
    }
    return path
  }

  /// The levels of the x86-64 psABI, each recognised by its new features.
  private static func capabilities(_ architecture: String) -> [String] {
    guard architecture == "x86_64" else { return [] }
    let flags = ProcessorInfo.flags
    let levels: [(String, [Substring])] = [
      ("x86-64-v4", ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
      ("x86-64-v3", ["avx2", "bmi1", "bmi2", "fma", "movbe", "f16c", "abm"]),
      ("x86-64-v2", ["sse4_2", "ssse3", "popcnt", "cx16"]),
    ]
    return levels.filter { $0.1.allSatisfy(flags.contains) }.map(\.0)
  }
}
