import Foundation
import TestSupport
import Testing

/// Programs with a function for each verdict, built by the real compilers.
enum DeadFixture {
  /// Two files: what one holds can be called from the other.
  static let library = """
    public protocol Shape {
      func area() -> Int
      func name() -> String
    }
    extension Shape {
      public func name() -> String { "shape" + String(area()) }
      public func unusedDefault() -> Int { area() * 2 }
    }
    public struct Square: Shape {
      public var side: Int
      public init(side: Int) { self.side = side }
      public func area() -> Int { side * side }
    }
    public struct Ring: Shape {
      public var outer = 3
      public func area() -> Int { outer * 3 }
    }
    public enum Suit: String, CaseIterable { case hearts, spades }
    @propertyWrapper public struct Clamped {
      private var value: Int
      public var wrappedValue: Int {
        get { value }
        set { value = min(newValue, 10) }
      }
      public init(wrappedValue: Int) { value = min(wrappedValue, 10) }
    }
    public class Animal {
      @Clamped public var legs = 4
      public lazy var sound: String = { "sound" + String(legs) }()
      static let kingdom = { "kingdom" + String(CommandLine.arguments.count) }()
      static let neverRead = { "never" + String(CommandLine.arguments.count) }()
      public init() {}
      public func speak() -> String { sound + Animal.kingdom }
      public func neverSpeak() -> String { sound + "!" }
      deinit { print("animal gone") }
    }
    public final class Dog: Animal {
      public override func speak() -> String { "dog " + super.speak() }
      public func fetch(_ what: String = String(describing: Suit.hearts)) -> String { what }
    }
    public func apply<T>(_ value: T, _ change: (T) -> T) -> T { change(change(value)) }
    public func neverGeneric<T: Comparable>(_ values: [T]) -> T? {
      var best: T?
      for value in values where best.map({ $0 < value }) ?? true { best = value }
      return best
    }
    public actor Counter {
      var count = 0
      public init() {}
      public func add(_ step: Int = 1) async -> Int {
        await Task.yield()
        count += step
        return count
      }
      public func neverReset() async {
        await Task.yield()
        count = 0
      }
    }
    public func giveUp() -> Never { fatalError("gave up") }
    // firstlight:keep - called by name
    public func keptByComment() -> Int { CommandLine.arguments.count * 3 }
    public func staleKeep() -> Int { CommandLine.arguments.count }  // firstlight:keep - was dead
    @inline(__always) public func alwaysInlined(_ x: Int) -> Int { x + 1 }
    public var computedNever: Int { CommandLine.arguments.count * 7 }

    """

  static let main = """
    let shapes: [any Shape] = [Square(side: 2)]
    print(shapes.map { $0.name() })
    let dog: Animal = Dog()
    print(dog.speak(), (dog as! Dog).fetch())
    print(apply(3) { $0 + staleKeep() }, alwaysInlined(4))
    let counter = Counter()
    print(await counter.add(), await counter.add(2))
    if CommandLine.arguments.count > 5 {
      print(Ring().unusedDefault(), keptByComment(), computedNever)
      giveUp()
    }

    """

  /// Builds the Swift program; `flags` are those that the build is made recordable or measurable by.
  static func swift(
    _ options: [String], flags: [String], in directory: TemporaryDirectory, name: String
  ) throws -> String {
    try build(
      module: "Zoo", ["library.swift": library, "main.swift": main], options + flags, in: directory,
      name: name)
  }

  /// Builds a Swift module of these files, by their paths within `directory`.
  static func build(
    module: String, _ files: [String: String], _ options: [String],
    in directory: TemporaryDirectory, name: String
  ) throws -> String {
    for (path, text) in files { try directory.write(text, to: path) }
    let executable = directory.path(name)
    try Command.check(
      ["swiftc", "-g", "-module-name", module] + options + files.keys.sorted()
        + ["-o", executable], in: directory.url)
    return executable
  }

  static let cxxHeader = """
    #pragma once
    inline int in_header(int x) { return x > 100 ? x * 3 : x + 2; }
    inline int never_in_header(int x) { return x * 5 + in_header(x); }
    template <typename T> T larger(T a, T b) { return a < b ? b : a; }
    template <typename T> T never_template(T a) { return a + a; }
    int use_other(int);

    """
  static let cxxMain = """
    #include "shared.h"
    #include <cstdio>
    static int helper(int x) { return in_header(x) + 1; }
    struct Base {
      Base(int v) : value(v) {}
      virtual ~Base() { std::puts("gone"); }
      virtual int get() const { return value; }
      virtual int never_virtual() const { return value * 2; }
      int value;
    };
    struct Derived : Base {
      Derived() : Base(3) {}
      int get() const override { return Base::get() + 1; }
    };
    static int pointed(int x) { return x * 2; }
    static int never_pointed(int x) { return x * 4; }
    int (*volatile table[])(int) = {pointed, never_pointed};
    extern "C" __attribute__((weak)) int weak_one(void) { return 7; }
    extern "C" int real_one(void) { return 8; }
    extern "C" int alias_one(void) __attribute__((alias("real_one")));
    int main(int count, char **) {
      Base *base = new Derived();
      int sum = base->get() + table[0](2) + helper(count) + larger(1, count) + use_other(count);
      if (count > 5) sum += table[1](2) + never_template(count) + base->never_virtual();
      if (count > 6) sum += never_in_header(count) + weak_one();
      sum += alias_one();
      auto twice = [](int x) { return x * 2; };
      sum += twice(count);
      delete base;
      std::printf("%d %f\\n", sum, larger(1.0, 2.0));
      return 0;
    }

    """
  static let cxxOther = """
    #include "shared.h"
    static int helper(int x) { return x - 1; }
    int use_other(int x) { return in_header(x) + (x > 50 ? helper(x) : 0); }

    """

  static func cxx(
    _ options: [String], flags: [String], in directory: TemporaryDirectory, name: String
  ) throws -> String {
    try directory.write(cxxHeader, to: "shared.h")
    try directory.write(cxxMain, to: "main.cpp")
    try directory.write(cxxOther, to: "other.cpp")
    let executable = directory.path(name)
    try Command.check(
      ["clang++", "-g"] + options + flags
        + [directory.path("main.cpp"), directory.path("other.cpp"), "-o", executable])
    return executable
  }
}
