import NeverCalled
import Pruning

/// A Swift file whose declarations to remove are marked with their names behind `//-`.
///
/// The marks are no part of the source.
func pruned(
  _ marked: String, unreferenced types: Set<String> = [], lineEnd: String = "\n"
) -> (text: String, removal: SourceRemoval) {
  var targets: [DeclarationTarget] = []
  var lines: [String] = []
  for line in marked.split(separator: "\n", omittingEmptySubsequences: false) {
    let parts = line.split(separator: " //- ", maxSplits: 1)
    lines.append(parts.first.map(String.init) ?? "")
    guard parts.count == 2 else { continue }
    for name in parts[1].split(separator: " ") {
      targets.append(DeclarationTarget(name: String(name), line: lines.count))
    }
  }
  let source = Array(lines.joined(separator: lineEnd).utf8)
  let removal = SwiftRemoval(source).removal(of: targets) { types.contains($0.name) }
  var rest = source
  for range in removal.ranges.reversed() { rest.removeSubrange(range) }
  return (String(decoding: rest, as: UTF8.self), removal)
}
