import CExtendedAttributes
import FirstlightModel
import Glibc

/// Finds the project folder of a path.
package enum ProjectFolder {
  /// The nearest enclosing git repository or Swift package, else the folder itself.
  ///
  /// - Parameter place: the absolute path of a folder.
  package static func around(_ place: String) -> String {
    nearest(to: place, with: [".git", "Package.swift"]) ?? place
  }

  /// The nearest enclosing git repository, where patches are applied, else the result of `around`.
  package static func repository(around place: String) -> String {
    nearest(to: place, with: [".git"]) ?? around(place)
  }

  /// The nearest enclosing Swift package.
  package static func package(around place: String) -> String? {
    nearest(to: place, with: ["Package.swift"])
  }

  private static func nearest(to place: String, with names: [String]) -> String? {
    var folder = place[...]
    while !folder.isEmpty {
      if names.contains(where: { access("\(folder)/\($0)", F_OK) == 0 }) { return String(folder) }
      folder = folder[..<(folder.lastIndex(ofUTF8: "/") ?? folder.startIndex)]
    }
    return nil
  }
}
