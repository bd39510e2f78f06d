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

/// Reads a batch in parts that fit in memory.
struct BatchReader {
  let publisher: PublisherID
  private let batch: StateBatch
  /// How many rows were read so far.
  private(set) var rows = 0
  private var samples = 0

  init(_ batch: StateBatch, of publisher: PublisherID) {
    self.batch = batch
    self.publisher = publisher
  }

  var isAtEnd: Bool { rows == batch.rows.count && samples == batch.samples.count }

  /// The next rows and samples.
  /// - Parameter limit: bytes of memory. The last row or sample may exceed it, so there is always one.
  /// - Returns: the part, and the bytes of memory that it takes.
  /// - Throws: `.data`, naming the offset, if a row or sample cannot be decoded.
  mutating func next(upTo limit: Int) throws(Failure) -> (part: PublishedStates, weight: Int) {
    var part = PublishedStates(publisher: publisher, states: [])
    var weight = 0
    while rows < batch.rows.count, weight < limit {
      let state = try batch.row(rows)
      rows += 1
      weight += state.weight
      part.states.append(state)
    }
    while samples < batch.samples.count, weight < limit {
      let trace = try batch.sample(samples)
      samples += 1
      weight += trace.answerWeight * FleetTrace.callBytes
      part.samples.append(trace)
    }
    return (part, weight)
  }
}
