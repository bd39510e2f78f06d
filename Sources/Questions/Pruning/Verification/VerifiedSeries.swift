import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// A series of patches. With each, and the earlier ones that it needs, the project builds and passes
/// its tests.
package struct VerifiedSeries {
  package let series: PatchSeries
  /// Number of runs of the command.
  package private(set) var runs = 0
  /// The reasons why parts were joined.
  package private(set) var joined: [String] = []

  /// Tests each part, and joins those that fail.
  ///
  /// - Parameters:
  ///   - parts: of changes that pass together.
  ///   - tree: where they passed.
  package init(
    _ plan: PrunePlan, _ parts: OwnerParts, in tree: VerificationTree
  ) throws {
    var parts = parts
    let all = parts.parts.reduce(into: Set<Int>()) { $0.formUnion($1.candidates) }
    var passed: Set<Set<Int>> = [all]
    while true {
      let series = PatchSeries(plan, parts.parts)
      var failed: Set<Int> = []
      for (number, entry) in series.entries.enumerated() {
        let state = entry.needs.reduce(into: entry.part.candidates) {
          $0.formUnion(series.entries[$1].part.candidates)
        }
        guard passed.insert(state).inserted else { continue }
        runs += 1
        let what =
          "those of patch \(number + 1) of \(series.entries.count), "
          + CountText.text(state.count, "function")
        if case .failed(_, let reason) = try tree.run(plan.patch(of: state), what) {
          passed.remove(state)
          failed.insert(number)
          joined.append(reason)
        }
      }
      if failed.isEmpty {
        self.series = series
        return
      }
      parts.join(failed.count > 1 ? failed : Set(parts.parts.indices))
    }
  }
}
