import FirstlightLauncher
import FirstlightModel
import FleetModel
import SystemSupport

/// The places to search for an image's separate debug file, as gdb does (gdb manual, "Debugging Information
/// in Separate Files").
struct DebugFilePlaces: Sendable {
  /// With `.build-id/` below them.
  let directories: [String]
  /// The folder of the image, if files beside it may be used.
  let folder: String?

  struct Place: Hashable {
    var path: String
    /// Whether the place lies below one of `directories`.
    var isTrusted: Bool
  }

  /// The places to search, best first.
  func places(for names: BuildReading.DebugFileNames) -> [Place] {
    var places: [Place] = []
    if let id = names.buildID, !id.isFileDigest, id.description.count > 2 {
      let digits = id.description
      places += directories.map {
        Place(
          path: "\($0)/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug", isTrusted: true)
      }
    }
    // A name from the file itself is searched for only beside that file.
    if let folder, let link = names.link {
      places += ["\(folder)/\(link)", "\(folder)/.debug/\(link)"].map {
        Place(path: $0, isTrusted: false)
      }
      places += directories.map { Place(path: "\($0)\(folder)/\(link)", isTrusted: true) }
    }
    return places
  }
}
