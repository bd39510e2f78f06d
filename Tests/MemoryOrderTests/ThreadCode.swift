/// What a thread of an `OutOfOrderMachine` does, in program order.
struct ThreadCode: Sendable {
  private(set) var operations: [Operation] = []
  private(set) var registerCount = 0

  init(_ write: (inout ThreadCode) -> Void) { write(&self) }

  mutating func load(_ place: Place, _ order: MemoryOrder) -> Register {
    let result = newRegister()
    operations.append(Operation(kind: .load, order: order, place: place, result: result))
    return result
  }

  mutating func store(_ place: Place, _ value: Value, _ order: MemoryOrder = .relaxed) {
    operations.append(Operation(kind: .store, order: order, place: place, value: value))
  }

  /// Reads a word and writes another value in its place, with no write between.
  /// - Parameter change: gives the new value of the old one; nil: it stays, as in a comparison that fails.
  /// - Returns: the old value.
  mutating func modify(
    _ place: Place, _ order: MemoryOrder, _ change: @escaping @Sendable (Int) -> Int?
  ) -> Register {
    let result = newRegister()
    operations.append(
      Operation(kind: .modify, order: order, place: place, result: result, change: change))
    return result
  }

  /// - Parameter order: nil: there is no fence.
  mutating func fence(_ order: MemoryOrder?) {
    if let order { operations.append(Operation(kind: .fence, order: order)) }
  }

  /// Ends the thread here if a value is such.
  mutating func leave(if register: Register, _ isSo: @escaping @Sendable (Int) -> Bool) {
    operations.append(
      Operation(kind: .leave, value: Value(register) { isSo($0) ? 1 : 0 }))
  }

  /// Whatever reaches this place must have such a value.
  mutating func require(
    _ register: Register, _ what: String, _ holds: @escaping @Sendable (Int) -> Bool
  ) {
    require([register], what) { holds($0[0]) }
  }

  mutating func require(
    _ registers: [Register], _ what: String, _ holds: @escaping @Sendable ([Int]) -> Bool
  ) {
    operations.append(
      Operation(kind: .require, value: Value(registers) { holds($0) ? 1 : 0 }, what: what))
  }

  private mutating func newRegister() -> Register {
    defer { registerCount += 1 }
    return Register(index: registerCount)
  }
}

/// A step of a thread.
struct Operation: Sendable {
  enum Kind { case load, store, modify, fence, leave, require }

  var kind: Kind
  var order = MemoryOrder.relaxed
  var place: Place?
  /// What is stored; of `leave` and `require` whether it is so.
  var value: Value?
  var result: Register?
  var change: (@Sendable (Int) -> Int?)?
  var what = ""

  var isMemory: Bool { kind == .load || kind == .store || kind == .modify }
}

/// The orders of C11, as GCC's built-in functions name them. `consume` is `acquire` to compilers.
enum MemoryOrder: String, Sendable {
  case relaxed = "RELAXED"
  case acquire = "ACQUIRE"
  case release = "RELEASE"
  case acquireAndRelease = "ACQ_REL"
  case sequential = "SEQ_CST"

  var acquires: Bool { self == .acquire || self == .acquireAndRelease || self == .sequential }
  var releases: Bool { self == .release || self == .acquireAndRelease || self == .sequential }
}

/// A value that a thread has read.
struct Register: Hashable, Sendable { var index: Int }

/// What is made of values that were read.
struct Value: Sendable, ExpressibleByIntegerLiteral {
  var needs: [Register]
  var compute: @Sendable ([Int]) -> Int

  init(_ needs: [Register], _ compute: @escaping @Sendable ([Int]) -> Int) {
    self.needs = needs
    self.compute = compute
  }

  init(_ register: Register, _ compute: @escaping @Sendable (Int) -> Int = { $0 }) {
    self.init([register]) { compute($0[0]) }
  }

  init(integerLiteral value: Int) { self.init([]) { _ in value } }
}

/// A word of memory: an element of an array, whose index may be a value that was read.
struct Place: Sendable, ExpressibleByStringLiteral {
  var array: String
  var index: Value = 0

  init(_ array: String, _ index: Value) {
    self.array = array
    self.index = index
  }

  init(stringLiteral array: String) { self.array = array }
}
