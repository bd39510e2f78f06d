import StartupReport
import SystemSupport

/// The start-up tree as indented lines, heaviest branch first, without light branches.
struct TimelineTreeText {
  let timeline: Timeline
  let tree: StartupTree
  /// Number of lines; 0 is all.
  let limit: Int
  /// The option that shows the others.
  var showingAll = "--limit 0"

  var text: String {
    // A node weighs no more than its parent, so the kept nodes are connected.
    let byWeight = tree.nodes.indices.sorted {
      (tree.nodes[$1].total, $0) < (tree.nodes[$0].total, $1)
    }
    let kept = Set(limit == 0 ? byWeight[...] : byWeight.prefix(limit))
    var table = TextTable([.right, .right, .left])
    table.add("total ms", "self ms", "in")
    let children = tree.children()
    // Pairs of node and depth; the next pair is the last.
    var open = children[tree.nodes.count].reversed().map { ($0, 0) }
    while let (index, depth) = open.popLast() {
      guard kept.contains(index) else { continue }
      let node = tree.nodes[index]
      table.add(
        TimelineSentences.milliseconds(node.total), TimelineSentences.milliseconds(node.weight),
        String(repeating: "  ", count: min(depth, 40))
          + TimelineSentences.shortName(node.frame, in: timeline))
      open += children[index].reversed().map { ($0, depth + 1) }
    }
    var text = "\nStart-up tree, heaviest branch first\n" + table.text(indent: "  ")
    let left = byWeight.dropFirst(kept.count)
    if let heaviest = left.first {
      text +=
        "  and \(CountText.text(left.count, "more line")) of at most "
        + "\(TimelineSentences.milliseconds(tree.nodes[heaviest].total)) ms; \(showingAll) shows all\n"
    }
    return text
  }
}
