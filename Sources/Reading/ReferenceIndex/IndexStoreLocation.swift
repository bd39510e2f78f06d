import FirstlightModel
import Glibc
import SystemSupport

/// Where the index of a build is.
package enum IndexStoreLocation {
  /// Where builds put it, from the folder of the binary: SwiftPM, Xcode's layout, compile commands of
  /// make and CMake.
  private static let places = ["index/store", "index-store", "IndexStore", ".index-store"]
  /// Where `firstlight test` has clang put it, from the project's folder.
  package static let ofTests = ".build-firstlight/index-store"
  /// How many folders up from the binary a build may keep it.
  private static let deepest = 6

  /// The store beside a binary, in the nearest folder up that has one.
  package static func beside(_ binary: String) -> String? { nearest(to: binary, places) }

  /// The store that the newest `firstlight test` of the project around a binary left.
  package static func ofTests(around binary: String) -> String? { nearest(to: binary, [ofTests]) }

  private static func nearest(to binary: String, _ places: [String]) -> String? {
    guard let real = AbsolutePath.resolved(AbsolutePath.of(binary)) else { return nil }
    var folder = real[...]
    for _ in 0..<deepest {
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = folder[..<slash]
      for place in places where isStore("\(folder)/\(place)") { return "\(folder)/\(place)" }
    }
    return nil
  }

  /// The store that a path means: a store, or a build's folder with one.
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

  /// Version 5 is the only one that swiftc and clang have written since 2018.
  private static func isStore(_ path: String) -> Bool {
    access("\(path)/v5/units", R_OK | X_OK) == 0 && access("\(path)/v5/records", R_OK | X_OK) == 0
  }
}
