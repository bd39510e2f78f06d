import Glibc

/// The folder of the project that a place belongs to.
package enum ProjectFolder {
  /// The nearest folder up that is a git repository or a Swift package, else the place itself.
  ///
  /// - Parameter place: the absolute path of a folder.
  package static func around(_ place: String) -> String {
    nearest(to: place, with: [".git", "Package.swift"]) ?? place
  }

  /// The nearest git repository, else what `around` gives: what patches are applied in.
  package static func repository(around place: String) -> String {
    nearest(to: place, with: [".git"]) ?? around(place)
  }

  /// The nearest Swift package.
  package static func package(around place: String) -> String? {
    nearest(to: place, with: ["Package.swift"])
  }

  private static func nearest(to place: String, with names: [String]) -> String? {
    var folder = place[...]
    while !folder.isEmpty {
      if names.contains(where: { access("\(folder)/\($0)", F_OK) == 0 }) { return String(folder) }
      folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    }
    return nil
  }
}
