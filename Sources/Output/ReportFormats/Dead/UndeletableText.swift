import References
import TextFormatting

/// The reason for an empty list of functions that can be deleted.
package enum UndeletableText {
  /// - Parameter counts: the never-called functions, by kind of reference.
  package static func line(_ counts: [ReferenceGroup: Int]) -> String {
    let all = counts.values.reduce(0, +)
    guard all > 0 else { return "nothing can be deleted: no never-called function to choose from" }
    let held = ReferenceGroup.allCases.compactMap { group in
      counts[group].map { count in
        let title = ReferenceText.title(group)
        return title.prefix(1).lowercased() + title.dropFirst() + " (\(CountText.number(count)))"
      }
    }
    return "nothing can be deleted: \(CountText.text(all, "never-called function")), "
      + held.joined(separator: "; ")
  }
}
