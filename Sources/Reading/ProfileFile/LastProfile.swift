import FirstlightModel
import Glibc
import SystemSupport

/// The default profile of commands.
package enum LastProfile {
  /// The folder of builds and the profile of `firstlight test`, in the project's folder.
  package static let testFolder = ".build-firstlight"

  /// Whether `firstlight test` made the profile.
  package static func isOfTests(_ path: String) -> Bool {
    AbsolutePath.folder(of: path).map(BaseName.of) == testFolder
  }

  private static let interruptedMark = ".interrupted"
  private static let partialMark = ".partial"

  /// The path of an interrupted run's profile, beside that of a complete one:
  /// `tests.interrupted.flp`. Commands read it only if it is named.
  package static func interrupted(_ path: String) -> String { marked(path, interruptedMark) }

  /// The path of the profile of some tests alone, beside that of all: `tests.partial.flp`. Commands read it if it is
  /// named, or if there is no other.
  package static func partial(_ path: String) -> String { marked(path, partialMark) }

  private static func marked(_ path: String, _ mark: String) -> String {
    let ending = "." + ProfileFile.pathExtension
    return String(path.removing(suffix: ending) ?? path[...]) + mark + ending
  }

  private static func isMarked(_ name: String, _ mark: String) -> Bool {
    name.ends(with: "\(mark).\(ProfileFile.pathExtension)")
  }

  /// These profiles, or else the newest one of the working directory, after printing its path.
  ///
  /// - Parameter tests: the profiles of the program's tests, beside that of the program.
  /// - Throws: `Failure` of kind `.usage` if all profiles are those of the tests.
  package static func named(
    _ paths: [String], tests: [String] = []
  ) throws(Failure) -> [String] {
    let found = try paths.isEmpty ? [find()] : paths
    let known = Set(tests.compactMap { FilePlace($0) })
    if !tests.isEmpty, found.allSatisfy({ FilePlace($0).map(known.contains) == true }) {
      throw Failure(
        .usage,
        "--tests needs a profile of the program, too: "
          + "\(found[0])\(paths.isEmpty ? ", the newest one here," : "") is that of the tests",
        advice: "name the program's before --tests: production.flp --tests \(tests[0])")
    }
    if paths.isEmpty { Terminal.report("reading \(found[0]), the newest profile here") }
    return found
  }

  /// The newest profile in a folder or its `testFolder`. Fails with `.noInput` if there is none.
  package static func find(in folder: String = ".") throws(Failure) -> String {
    var newest: (path: String, isPartial: Bool, time: timespec)?
    for place in [folder, "\(folder)/\(testFolder)"] {
      for name in (try? DirectoryListing.names(in: place)) ?? []
      where isMarked(name, "") && !isMarked(name, interruptedMark) {
        let path = place == "." ? name : "\(place)/\(name)"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        let (time, isPartial) = (status.st_mtim, isMarked(name, partialMark))
        // A profile of all tests counts, whatever its time.
        if let newest,
          (isPartial ? 0 : 1, time.tv_sec, time.tv_nsec)
            <= (newest.isPartial ? 0 : 1, newest.time.tv_sec, newest.time.tv_nsec)
        {
          continue
        }
        newest = (path, isPartial, time)
      }
    }
    guard let newest else {
      throw Failure(
        .noInput, "no profile (*.\(ProfileFile.pathExtension)) in this folder",
        advice: "name one, or make one with firstlight test or firstlight record")
    }
    return newest.path.removing(prefix: "./").map(String.init) ?? newest.path
  }
}
