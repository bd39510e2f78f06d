// For Scripts/test-arm64 --swift: variables whose bytes the compiler can set, and variables that code
// initializes. The program reads the first and never those that are marked.

struct Point {
  var x: Int
  var y: Int
  static let origin = Point(x: 0, y: 0)
  static let corner = Point(x: -1, y: 1 << 40)
  static let far = Point.made(3)  // never
  @inline(never)
  static func made(_ x: Int) -> Point { Point(x: x, y: x) }  // never
}

enum Names {
  static let first = "a first name that is not short"
  static let second: StaticString = "second"
  static let ratio = 0.25
  static let none: Int? = nil
  static let table: (Int, Int, Int, Int, Int, Int) = (1, 2, 3, 4, 5, 6)
  static let count = CommandLine.arguments.count  // never
  static let copies = [String](repeating: first, count: CommandLine.arguments.count)  // never
  nonisolated(unsafe) static var changes = 1
  nonisolated(unsafe) static var reset = Int(CommandLine.arguments[0])  // never
}

let wide = 1 << 33
let letters: [Character] = Array("letters")  // never
let listed = [1, 2, 3, 5, 7, 11]
final class Counter { var count = 0 }
let counter = Counter()  // never

@main
struct Program {
  static func main() {
    Names.changes += wide
    print(
      Point.origin, Point.corner, Names.first, Names.second, Names.ratio, Names.none as Any,
      Names.table,
      Names.changes, listed)
    if CommandLine.arguments.count > 5 {
      print(Point.far, Names.count, Names.copies, Names.reset as Any, letters, counter.count)
    }
  }
}
