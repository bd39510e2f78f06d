import FirstlightModel
import Foundation
import SystemSupport

/// Targets of a Swift package that no recorded test program holds: nothing is known of their code, and
/// a list that says nothing of them looks as if all of it ran.
package enum UnlinkedTargets {
  private static let endings: Set<String> = ["swift", "c", "cc", "cpp", "cxx", "m", "mm"]

  /// Their names, which are those of the folders in `Sources`, sorted.
  package static func names(in project: String, _ profile: borrowing Profile) -> [String] {
    let sources = "\(project)/Sources"
    var linked: Set<Substring> = []
    for recorded in profile.builds {
      for case let file? in recorded.build.functions.lazy.map(\.file)
      where file.hasPrefix(sources + "/") {
        linked.insert(file.dropFirst(sources.count + 1).prefix { $0 != "/" })
      }
    }
    return ((try? DirectoryListing.names(in: sources)) ?? [])
      .filter { !linked.contains($0[...]) && holdsCode("\(sources)/\($0)") }.sorted()
  }

  private static func holdsCode(_ folder: String) -> Bool {
    let files = FileManager.default.enumerator(atPath: folder)
    while let file = files?.nextObject() as? String {
      if endings.contains(String(file.split(separator: ".").last ?? "")) { return true }
    }
    return false
  }
}
