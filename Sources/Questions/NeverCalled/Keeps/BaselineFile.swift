import FirstlightModel
import Foundation
import Reports
import SystemSupport

/// A baseline on disk: JSON, one function a line, sorted to give short diffs.
package enum BaselineFile {
  private struct Document: Codable {
    var firstlightBaseline: Int
    var neverCalled: [String]
  }

  package static func write(_ baseline: Baseline, to path: String) throws(Failure) {
    let document = Document(
      firstlightBaseline: 1, neverCalled: baseline.identities.sorted().map(\.text))
    try ResultFile.write(JSONForm.pretty(document), to: path)
  }

  /// Throws `.data` with the file's name if the file is no baseline.
  package static func read(_ path: String) throws(Failure) -> Baseline {
    let text = try TextFile.argument(path)
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
      throw Failure(
        .data, "\(path): not a baseline",
        advice: "create one with firstlight dead FILE.flp --write-baseline \(path)")
    }
    guard document.firstlightBaseline == 1 else {
      throw Failure(
        .data,
        "\(path): baseline format \(document.firstlightBaseline); this firstlight reads "
          + "format 1", advice: "rewrite it with --write-baseline")
    }
    return Baseline(identities: Set(texts: document.neverCalled))
  }
}
