import FirstlightModel
import FleetModel
import Glibc

/// Where the file may be that holds the debug information split off an image: as gdb looks for it (gdb
/// manual, "Debugging Information in Separate Files").
struct DebugFileSearch: Sendable {
  /// With `.build-id/` below them.
  let directories: [String]
  /// The folder of the image, if files beside it are of interest.
  let folder: String?

  struct Place: Hashable {
    var path: String
    /// Whether it lies below one of `directories`.
    var isTrusted: Bool
  }

  /// Where to look, best first.
  func places(for names: BuildReading.DebugFileNames) -> [Place] {
    var places: [Place] = []
    if let id = names.buildID, !id.isFileDigest, id.description.count > 2 {
      let digits = id.description
      places += directories.map {
        Place(
          path: "\($0)/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug", isTrusted: true)
      }
    }
    // A name that the file itself gives is looked for only where that file was.
    if let folder, let link = names.link {
      places += ["\(folder)/\(link)", "\(folder)/.debug/\(link)"].map {
        Place(path: $0, isTrusted: false)
      }
      places += directories.map { Place(path: "\($0)\(folder)/\(link)", isTrusted: true) }
    }
    return places
  }
}
