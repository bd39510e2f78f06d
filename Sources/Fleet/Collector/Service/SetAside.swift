import FirstlightModel
import Foundation
import SpoolIntake
import TextFormatting

/// A recording that a daemon has set aside, and the reason.
package struct SetAside: Sendable {
  /// The common prefix of the names of its files.
  package let stem: String
  /// The recorded reason; empty without one.
  package let reason: String
  /// Names of its files, except the file of the reason.
  let files: [String]

  /// All recordings in a spool's quarantine, by name. Only reads files, so a daemon may run meanwhile.
  package static func list(of spool: String) -> [SetAside] {
    let directory = Spool.quarantinePath(of: spool)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let byStem = Dictionary(grouping: names.filter { !$0.hasSuffix(Quarantine.reasonSuffix) }) {
      Quarantine.stem(ofFile: $0)
    }
    return byStem.compactMap { stem, files in
      stem.map { stem in
        let reason = try? String(
          contentsOfFile: "\(directory)/\(stem)\(Quarantine.reasonSuffix)", encoding: .utf8)
        return SetAside(
          stem: stem, reason: (reason ?? "").trimmingCharacters(in: .newlines), files: files)
      }
    }.sorted { $0.stem < $1.stem }
  }

  /// One line for each recording, for people.
  package static func text(_ items: [SetAside]) -> String {
    var table = TextTable([.left, .left])
    for item in items {
      let reason = item.reason.split(separator: "\n").first.map(String.init) ?? "unknown reason"
      table.add(item.stem, reason)
    }
    return table.text()
  }

  /// The note about a retry.
  var note: String {
    "requeued \(stem)" + (reason.isEmpty ? "" : ", quarantined because: \(reason)")
  }
}
