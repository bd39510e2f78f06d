import FirstlightModel
import SystemSupport

/// The start-up tree as folded stacks for flame graph tools: frames from the outermost in, separated by
/// semicolons, then a blank and the stack's own weight. Brendan Gregg's FlameGraph
/// (github.com/brendangregg/FlameGraph, stackcollapse.pl) defines the format.
enum TimelineFolded {
  /// Weights are nanoseconds. Without durations in the recording, they are numbers of first calls.
  static func text(_ timeline: Timeline) -> String {
    let tree = timeline.startupTree()
    var paths: [String] = []
    paths.reserveCapacity(tree.nodes.count)
    var lines: [String] = []
    for node in tree.nodes {
      let name = frame(TimelineSentences.name(node.frame, in: timeline))
      paths.append(node.parent < 0 ? name : paths[node.parent] + ";" + name)
      if node.weight > 0 { lines.append("\(paths[paths.count - 1]) \(node.weight)\n") }
    }
    return lines.joined()
  }

  /// A name without characters that separate frames and lines.
  static func frame(_ name: String) -> String {
    var text = ""
    for character in name.unicodeScalars {
      switch character {
      case ";": text += ":"
      case "\n", "\r": text += " "
      default: text.unicodeScalars.append(character)
      }
    }
    return text.isEmpty ? "?" : text
  }
}
