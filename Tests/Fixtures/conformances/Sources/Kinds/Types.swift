import Glibc
import Shapes

protocol Marked {}
protocol Child: Marked {}
protocol OnlyClasses: AnyObject {}
protocol Loose: ~Copyable {}
protocol Never {}

struct Point: Marked, Hashable, Codable, Comparable, Named {
  var x = 0
  var name: String { "point" }
  static func < (a: Point, b: Point) -> Bool { a.x < b.x }
}
enum Colour: String, CaseIterable, Codable, Child { case red, green }
indirect enum Tree: Marked {
  case leaf
  case node(Tree, Tree)
}
private struct Hidden: Marked {}

// Generic, conditional, packs.
struct Box<T>: Marked { var item: T }
extension Box: Named where T: Named { var name: String { item.name } }
extension Box: Equatable where T: Equatable {}
struct Pair<A, B: Hashable>: Child {
  struct Inner<C>: Marked {}
}
extension Pair: Measured { var size: [A] { [] } }
struct Pack<each T>: Marked {}
extension Pack: Child where repeat each T: Child {}

// Suppressed conformances.
struct Moved: ~Copyable, Loose {}
struct Holder<T: ~Copyable>: ~Copyable {}
extension Holder: Copyable where T: Copyable {}
extension Holder: Loose where T: ~Copyable {}
extension Holder: Marked {}
struct Keeper<T: ~Copyable> { var count = 0 }
extension Keeper: Marked {}
extension Keeper: Loose where T: ~Copyable {}

// Classes.
class Animal: Marked {}
class Dog: Animal, Named { var name: String { "dog" } }
final class Puppy: Dog, OnlyClasses {}
class Base<T>: Child {}
class Derived: Base<Int>, Named { var name: String { "derived" } }
class Deeper<T>: Base<[T]> {}
final class Deepest: Deeper<String>, OnlyClasses {}
class Recursive: Base<Recursive>, OnlyClasses {}

// Actors, and a conformance isolated to one.
actor Counter: Marked {}
@MainActor final class View: Marked {}
#if compiler(>=6.2)
  @MainActor final class Screen { var title = "" }
  extension Screen: @MainActor Named { var name: String { title } }
#endif

// Retroactive, and imported from C.
extension Circle: Marked {}
extension timespec: Marked {}
extension Int: Marked {}
extension Array: Marked {}

enum Problem: Error, Marked { case some }

func opaque() -> some Named { Box(item: Point()) }

func pointer<T: ~Copyable>(_ type: T.Type) -> UnsafeRawPointer {
  unsafeBitCast(type, to: UnsafeRawPointer.self)
}

func pack<each T>(_ value: repeat each T) -> UnsafeRawPointer { pointer(Pack<repeat each T>.self) }

func types() -> [UnsafeRawPointer] {
  struct Local: Marked {}
  func type<T>(of value: T) -> UnsafeRawPointer { pointer(T.self) }
  return [
    pointer(Local.self), pointer(Hidden.self), type(of: opaque()), pointer(timespec.self),
    pointer(Box<Point>.self), pointer(Box<Tree>.self), pointer(Box<Box<Point>>.self),
    pointer(Pair<Int, String>.self), pointer(Pair<Int, String>.Inner<Int>?.self),
    pointer(Pair<Int, String>.Inner<Point>.self), pointer(Holder<Int>.self),
    pointer(Holder<Moved>.self), pointer(Keeper<Int>.self), pointer(Keeper<Moved>.self),
    pointer(Moved.self), pointer(Moved?.self), pointer(Deeper<Int>.self), pointer(Deepest.self),
    pointer(Recursive.self), pointer(Derived.self), pointer(Circle.self), pointer(Square.self),
    pointer(Shape.self), pointer([Point].self), pointer([Tree].self),
    pointer([String: [Int]].self), pointer(Point?.self), pointer(Set<Colour>.self),
    pointer(Result<Int, Problem>.self), pointer(Range<Int>.self), pointer((Int, String).self),
    pointer((() -> Void).self), pointer(Int.Type.self), pointer((any Named).self),
    pointer((any Named & Marked).self), pointer((any Error).self), pointer(Any.self),
    pointer(AnyObject.self), pointer((any Marked).Type.self),
    pointer((any OnlyClasses & Animal).self), pointer(Optional<any Error>.self),
    pointer((@MainActor () -> Int).self), pointer(KeyPath<Point, Int>.self),
    pointer(Zip2Sequence<[Int], [Point]>.self), pointer(Unmanaged<Puppy>.self),
    pointer(Pack<Colour, Pair<Int, Int>>.self), pack(0), pack(),
  ]
}
