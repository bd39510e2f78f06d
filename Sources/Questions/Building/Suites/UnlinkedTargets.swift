import FirstlightModel
import Foundation
import Glibc
import ProcessControl

/// Finds targets of a Swift package that no recorded test program contains: their code is unknown,
/// and a list without them would look as if all of it ran.
package enum UnlinkedTargets {
  /// What `swift package describe` says; the manifest may compute it, and may put a target into any folder.
  private struct Package: Decodable {
    struct Target: Decodable {
      var name: String
      /// Relative to the package, or absolute.
      var path: String
      var type: String
      var sources: [String]
    }
    var targets: [Target]
  }

  /// The kinds of targets with code that tests can link.
  private static let linkable: Set<TextBytes> = ["library", "executable", "macro"]

  /// The targets' names, sorted; none if the folder holds no package.
  package static func names(
    in folder: SuiteFolder, _ profile: borrowing Profile
  ) throws(Failure) -> [String] {
    guard access("\(folder.project)/Package.swift", F_OK) == 0 else { return [] }
    let description = try ProgramLog()
    let status = try ProgramCommand(
      [
        "swift", "package", "--package-path", folder.project, "--scratch-path", folder.path,
        "describe", "--type", "json",
      ], output: description, log: try ProgramLog()
    ).run("asking SwiftPM for the targets")
    guard status.exitStatus == 0,
      let package = try? JSONDecoder().decode(Package.self, from: Data(description.text.utf8))
    else {
      throw Failure(.data, "swift package describe \(status.text): it shows the package's targets")
    }
    var linked: Set<TextBytes> = []
    for recorded in profile.builds {
      for case let file? in recorded.build.guarded.lazy.map(\.file) { linked.insert(file) }
    }
    return package.targets.filter { target in
      let path = target.path.begins(with: "/") ? target.path : "\(folder.project)/\(target.path)"
      let files = Set(texts: target.sources.map { "\(path)/\($0)" })
      return linkable.contains(target.type) && !files.isEmpty && linked.isDisjoint(with: files)
    }
    .map(\.name).sorted()
  }
}
