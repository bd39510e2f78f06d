import FirstlightModel
import FleetModel
import Foundation
import ReportFormats
import SpoolIntake
import TextFormatting
import TraceReader

/// Something that a daemon has put aside, and why.
package struct SetAside: Sendable {
  package enum Kind: Sendable {
    case batch
    case recording
  }

  package let kind: Kind
  /// What the names of its files begin with.
  package let stem: String
  /// The reason given when it was put aside; empty without one.
  package let reason: String
  /// Names of its files, without that of the reason.
  let files: [String]
  private let directory: String

  /// All that lies in a spool's quarantine, by name. Needs no right but to read, so that a daemon may run.
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

  /// A line for each, for people.
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
  /// - Throws: `.noInput` if it cannot be read, `.data` if it is none.
  func traces() throws(Failure) -> [FleetTrace] {
    guard
      let data = FileManager.default.contents(
        atPath: "\(directory)/\(stem)\(Quarantine.batchSuffix)")
    else { throw Failure(.noInput, "cannot be read") }
    return try EarlierBatch.traces([UInt8](data))
  }

  /// What is noted when it is tried again.
  func note(_ traces: Int?) -> String {
    "requeued \(stem)" + (traces.map { " (\(CountText.text($0, "trace")))" } ?? "")
      + (reason.isEmpty ? "" : ", quarantined because: \(reason)")
  }
}
