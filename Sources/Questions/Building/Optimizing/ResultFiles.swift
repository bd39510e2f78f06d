import FirstlightModel
import ProcessControl
import Recording
import SystemSupport

/// The files of `optimize` for one program, by directory.
package struct ResultFiles {
  /// The path of the directory.
  package let path: String
  /// The name of the program's file.
  private let name: String

  init(_ path: String, name: String) {
    self.path = path
    self.name = name
  }

  package var before: String { "\(path)/before/\(name)" }
  package var after: String { "\(path)/after/\(name)" }
  package var recorded: String { "\(path)/recorded/\(name)" }
  /// The files of the user's own build, while others replace them.
  var built: String { "\(path)/built" }
  /// The script that notes how the program is linked.
  var linker: String { "\(path)/linker" }
  package var profile: String { "\(path)/\(name).flp" }
  package var order: String { "\(path)/\(name).order" }
  /// The extension is not `.o`, because a build that cleans up first would delete the file.
  package var prefetch: String { "\(path)/\(name).prefetch" }
  package var conformances: String { "\(path)/\(name).conformances" }
  /// The program with an index of conformances and its prefetching, until it is compared with the one without.
  var indexed: String { "\(path)/recorded/\(name).indexed" }
  var indexedPrefetch: String { "\(path)/recorded/\(name).indexed-prefetch" }
  /// The flags to keep in the build: for `swift build --toolset FILE`, or for clang and gcc, which take `@FILE`.
  package var toolset: String { "\(path)/\(name).toolset.json" }
  package var flags: String { "\(path)/\(name).flags" }
  /// The report as text, as JSON and as a page.
  package func report(_ ending: String) -> String { "\(path)/\(name).\(ending)" }

  var all: [String] {
    [before, after, recorded, profile, order, prefetch, conformances, toolset, flags]
      + ["txt", "json", "html"].map(report)
  }

  var directories: [String] { ["before", "after", "recorded"].map { "\(path)/\($0)" } }
}
