import FirstlightModel
import Glibc
import SystemSupport

/// The profile that a command reads if none is named.
package enum LastProfile {
  /// Where `firstlight test` builds and keeps its profile, within the project's folder.
  package static let testFolder = ".build-firstlight"

  private static let interruptedMark = ".interrupted"

  /// Where the profile of an interrupted run is kept beside that of a complete one:
  /// `tests.interrupted.flp`. Only named explicitly it is read.
  package static func interrupted(_ path: String) -> String {
    let ending = "." + ProfileFile.pathExtension
    let stem = path.hasSuffix(ending) ? String(path.dropLast(ending.count)) : path
    return stem + interruptedMark + ending
  }

  /// The newest profile of the working directory, after saying which one that is.
  package static func announced() throws(Failure) -> String {
    let path = try find()
    Terminal.report("reading \(path), the newest profile here")
    return path
  }

  /// The newest profile in a folder or its `testFolder`. Fails with `.noInput` if there is none.
  package static func find(in folder: String = ".") throws(Failure) -> String {
    var newest: (path: String, time: timespec)?
    for place in [folder, "\(folder)/\(testFolder)"] {
      for name in (try? DirectoryListing.names(in: place)) ?? []
      where name.hasSuffix("." + ProfileFile.pathExtension)
        && !name.hasSuffix("\(interruptedMark).\(ProfileFile.pathExtension)")
      {
        let path = place == "." ? name : "\(place)/\(name)"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        let time = status.st_mtim
        if let newest, (time.tv_sec, time.tv_nsec) <= (newest.time.tv_sec, newest.time.tv_nsec) {
          continue
        }
        newest = (path, time)
      }
    }
    guard let newest else {
      throw Failure(
        .noInput, "no profile (*.\(ProfileFile.pathExtension)) in this folder",
        advice: "name one, or make one with firstlight test or firstlight record")
    }
    return newest.path.hasPrefix("./") ? String(newest.path.dropFirst(2)) : newest.path
  }
}
