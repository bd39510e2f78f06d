import FirstlightModel
import ProcessControl
import SystemSupport

/// Lines of texts, to find those that stand elsewhere. Lines are equal whatever ends them, and blank lines are.
struct LineSequences {
  private var texts: [[Int]] = []
  /// Where each line stands.
  private var places: [Int: [(text: Int, line: Int)]] = [:]

  static let blank = 0

  /// A digest of each line of a text.
  static func lines(_ text: [UInt8]) -> [Int] {
    text.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      line.allSatisfy(\.isASCIISpace)
        ? blank : (line.last == 0x0d ? line.dropLast() : line).hashValue
    }
  }

  mutating func add(_ lines: [Int]) {
    for (number, line) in lines.enumerated() where line != Self.blank {
      places[line, default: []].append((texts.count, number))
    }
    texts.append(lines)
  }

  /// How often lines stand one behind the other. The first is not blank.
  func count(_ lines: ArraySlice<Int>) -> Int {
    guard let first = lines.first else { return 0 }
    return places[first, default: []].count {
      texts[$0.text][$0.line...].starts(with: lines)
    }
  }
}
