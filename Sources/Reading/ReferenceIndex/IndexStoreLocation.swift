import FirstlightIndexStore
import FirstlightModel
import Glibc
import SystemSupport

/// Finds the index of a build.
package enum IndexStoreLocation {
  /// The default places, relative to the binary's folder or one above: SwiftPM, Xcode's layout,
  /// compile commands of make and CMake.
  private static let places = ["index/store", "index-store", "IndexStore", ".index-store"]
  /// The place of clang's index with `firstlight test`, relative to the project's folder.
  package static let ofTests = ".build-firstlight/index-store"
  /// Maximum number of folders above the binary to search.
  private static let deepest = 6

  /// The nearest store in the folders above a binary.
  package static func beside(_ binary: String) -> String? { nearest(to: binary, places) }

  /// The store of the newest `firstlight test` in the project around a binary.
  package static func ofTests(around binary: String) -> String? { nearest(to: binary, [ofTests]) }

  private static func nearest(to binary: String, _ places: [String]) -> String? {
    guard let real = AbsolutePath.resolved(AbsolutePath.of(binary)) else { return nil }
    var folder = real[...]
    for _ in 0..<deepest {
      guard let slash = folder.lastIndex(ofUTF8: "/") else { break }
      folder = folder[..<slash]
      for place in places where isStore("\(folder)/\(place)") { return "\(folder)/\(place)" }
    }
    return nil
  }

  /// The store at a path, which is a store, or a build's folder with one.
  package static func of(_ path: String) throws(Failure) -> String {
    let path = AbsolutePath.of(path)
    guard access(path, F_OK) == 0 else {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    for place in [path] + places.map({ "\(path)/\($0)" }) where isStore(place) { return place }
    throw Failure(
      .data, "\(path): not an index store",
      advice: "name the folder given to -index-store-path")
  }

  /// swiftc and clang have written only version 5 since 2018.
  private static func isStore(_ path: String) -> Bool {
    access("\(path)/v5/units", R_OK | X_OK) == 0 && access("\(path)/v5/records", R_OK | X_OK) == 0
  }
}
