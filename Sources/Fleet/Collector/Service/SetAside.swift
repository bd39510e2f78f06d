import FirstlightModel
import FleetModel
import Foundation
import ReportFormats
import SpoolIntake
import TextFormatting
import TraceReader

/// An item that a daemon has set aside, and the reason.
package struct SetAside: Sendable {
  package enum Kind: Sendable {
    case batch
    case recording
  }

  package let kind: Kind
  /// The common prefix of the names of its files.
  package let stem: String
  /// The recorded reason; empty without one.
  package let reason: String
  /// Names of its files, except the file of the reason.
  let files: [String]
  private let directory: String

  /// All items in a spool's quarantine, by name. Only reads files, so a daemon may run meanwhile.
  package static func list(of spool: String) -> [SetAside] {
    let directory = Spool.quarantinePath(of: spool)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let byStem = Dictionary(grouping: names.filter { !$0.hasSuffix(Quarantine.reasonSuffix) }) {
      Quarantine.stem(ofFile: $0)
    }
    return byStem.compactMap { stem, files in
      stem.map { stem in
        let isBatch = files.contains { $0.hasSuffix(Quarantine.batchSuffix) }
        let reason = try? String(
          contentsOfFile: "\(directory)/\(stem)\(Quarantine.reasonSuffix)", encoding: .utf8)
        return SetAside(
          kind: isBatch ? .batch : .recording, stem: stem,
          reason: (reason ?? "").trimmingCharacters(in: .newlines), files: files,
          directory: directory)
      }
    }.sorted { $0.stem < $1.stem }
  }

  /// One line for each item, for people.
  package static func text(_ items: [SetAside]) -> String {
    var table = TextTable([.left, .left, .left])
    for item in items {
      let reason = item.reason.split(separator: "\n").first.map(String.init) ?? "unknown reason"
      table.add(item.stem, item.what, reason)
    }
    return table.text()
  }

  private var what: String {
    switch kind {
    case .recording: "recording"
    case .batch: (try? traces()).map { CountText.text($0.count, "trace") } ?? "damaged batch"
    }
  }

  /// The traces of a batch that an earlier version's receiver refused.
  /// - Throws: `.noInput` if the batch cannot be read, `.data` if the file is no batch.
  func traces() throws(Failure) -> [FleetTrace] {
    guard
      let data = FileManager.default.contents(
        atPath: "\(directory)/\(stem)\(Quarantine.batchSuffix)")
    else { throw Failure(.noInput, "cannot be read") }
    return try EarlierBatch.traces([UInt8](data))
  }

  /// The note about a retry.
  func note(_ traces: Int?) -> String {
    "requeued \(stem)" + (traces.map { " (\(CountText.text($0, "trace")))" } ?? "")
      + (reason.isEmpty ? "" : ", quarantined because: \(reason)")
  }
}
