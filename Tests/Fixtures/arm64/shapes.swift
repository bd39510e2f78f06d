// For Scripts/test-arm64 --swift. Functions are numbered in the order in which the program calls them
// first; the others are marked as never called. What the compiler generates has no number.

protocol Shape {
  var area: Double { get }
  func scaled(by factor: Double) -> Self
}

extension Shape {
  func doubled() -> Self { scaled(by: 2) }  // 5
  func halved() -> Self { scaled(by: 0.5) }  // never
}

struct Square: Shape {
  var side: Double
  var area: Double { side * side }  // 4
  func scaled(by factor: Double) -> Square { Square(side: side * factor) }  // 6
}

final class Disc: Shape {
  let radius: Double
  init(radius: Double) { self.radius = radius }  // 7
  deinit { retired += 1 }  // 9
  var area: Double { 3 * radius * radius }  // 8
  func scaled(by factor: Double) -> Disc { Disc(radius: radius * factor) }  // never
}

class Animal {
  func sound() -> String { "..." }  // never
  func name() -> String { "animal" }  // 11
  func describe() -> String { name() + " says " + sound() }  // 10
}

final class Cow: Animal {
  override func sound() -> String { "moo" }  // 12
}

enum Failure: Error {
  case negative(Int)
  var text: String {  // 15
    switch self {
    case .negative(let number): "negative: \(number)"
    }
  }
}

struct Stack<Element> {
  private var elements: [Element] = []
  mutating func push(_ element: Element) { elements.append(element) }  // 16
  mutating func pop() -> Element? { elements.popLast() }  // 17
  func peek() -> Element? { elements.last }  // never
  subscript(index: Int) -> Element { elements[index] }  // never
}

struct Settings {
  lazy var words = makeWords()
  private func makeWords() -> [String] { ["one", "two"] }  // 19
  var count = 0 {
    didSet { log.append("count \(count)") }  // never
  }
}

nonisolated(unsafe) var retired = 0
nonisolated(unsafe) var log: [String] = []
let limit = 10
let names = makeNames()
let unread = makeUnread()

@inline(never)
func makeNames() -> [String] { [1, 2].map { "name \($0)" } }  // 2

@inline(never)
func makeUnread() -> [String] { ["unread", "never", String(limit)] }  // never

@inline(never)
func total<S: Shape>(_ shapes: [S]) -> Double {  // 3
  shapes.reduce(0) { $0 + $1.area }
}

@inline(never)
func check(_ number: Int) throws -> Int {  // 13
  if number < 0 { throw refuse(number) }
  return number
}

@inline(never)
func refuse(_ number: Int) -> Failure { .negative(number) }  // 14

@inline(never)
func later(_ number: Int) -> () -> Int {  // 18
  { number + 1 }
}

@inline(never)
func retire() {  // never
  log.removeAll()
  retired = 0
}

@main
struct Program {
  static func main() {  // 1
    log.append(contentsOf: names)
    log.append("\(total([Square(side: 1)]))")
    log.append("\(Square(side: 2).doubled().side)")
    do {
      let disc: any Shape = Disc(radius: 1)
      log.append("\(disc.area)")
    }
    let animal: Animal = CommandLine.arguments.count > 5 ? Animal() : Cow()
    log.append(animal.describe())
    do {
      _ = try check(-1)
    } catch let failure as Failure {
      log.append(failure.text)
    } catch {
      retire()
    }
    var stack = Stack<Int>()
    stack.push(1)
    log.append("\(stack.pop() ?? 0)")
    log.append("\(later(1)())")
    var settings = Settings()
    log.append(settings.words.joined())
    if CommandLine.arguments.count > 5 {
      retire()
      settings.count = unread.count
      log.append(
        "\(stack.peek() ?? stack[0]) \(Disc(radius: 2).scaled(by: 1).area) \(Square(side: 1).halved())"
      )
    }
    print(log.joined(separator: "\n"), retired)
  }
}
