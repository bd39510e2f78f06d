import FirstlightModel

/// Functions whose bodies Swift's optimiser found equal and merged into one: each is left as a few
/// instructions that end in a jump to the shared body, whose name ends in `Tm`
/// (swift/lib/LLVMPasses/LLVMMergeFunctions.cpp). Debug information has an entry of the body at most.
struct MergedThunks {
  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// Which of these functions, by index, are written in the source: those whose shared body is, and where
  /// debug information lacks the body, those whose name only written functions have.
  ///
  /// Initializers and deinitializers are left out, since debug information gives those that Swift makes a
  /// line.
  func written(_ candidates: [Int], of functions: [Function]) -> Set<Int> {
    var thunks: [Int] = []
    var bodies: [UInt64] = []
    for index in candidates where !Self.isOftenImplicit(functions[index].name) {
      guard let body = body(of: functions[index]) else { continue }
      thunks.append(index)
      bodies.append(body)
    }
    guard !bodies.isEmpty else { return [] }
    let places = image.places(of: bodies)
    return Set(
      zip(thunks, places).filter { thunk, place in
        place.file == nil ? Self.isWritten(functions[thunk].name) : !place.isCompilerGenerated
      }.map(\.0))
  }

  /// Whether a name is of a function or method, or of one whose signature was specialised, and none of
  /// those that Swift derives. Accessors may be of a stored variable.
  private static func isWritten(_ name: String) -> Bool {
    let isFunction =
      name.hasSuffix("F") || name.hasSuffix("FZ") || name.contains("FTf") || name.contains("FZTf")
    return isFunction && !derived.contains { name.contains($0) }
  }

  /// `==`, `hash(into:)`, `encode(to:)` and the helpers of them
  /// (swift/lib/Sema/DerivedConformance*.cpp).
  private static let derived = ["2eeoi", "4hash4into", "6encode2to", "__derived_"]

  /// What names of initializers and deinitializers end in (swift/docs/ABI/Mangling.rst, "Entities").
  private static func isOftenImplicit(_ name: String) -> Bool {
    ["fC", "fc", "fD", "fd", "fZ"].contains { name.hasSuffix($0) }
  }

  /// Where the shared body is that a function jumps to, maybe by way of a specialisation of its own; nil
  /// if it is no such thunk.
  private func body(of function: Function) -> UInt64? {
    guard var address = function.address else { return nil }
    var size = function.size
    for _ in 0..<2 {
      guard let target = jump(at: address, size: size) else { return nil }
      let symbols = image.symbols
      let places = symbols.indices(at: target)
      if places.contains(where: { symbols.name($0).hasSuffix("Tm") }) { return target }
      guard let own = places.first(where: { symbols.name($0).hasPrefix(function.name) }) else {
        return nil
      }
      (address, size) = (target, symbols.entries[own].size)
    }
    return nil
  }

  /// Where code of so many bytes ends by jumping to.
  private func jump(at address: UInt64, size: UInt64) -> UInt64? {
    guard (4...256).contains(size), let offset = image.elf.fileOffset(of: address),
      let code = image.elf.file.bytes.slice(offset, size),
      let distance = Self.lastJump(code, image.architecture)
    else { return nil }
    return address &+ size &+ UInt64(bitPattern: distance)
  }

  /// How far from its end code jumps with its last instruction: x86-64's `JMP rel32`, aarch64's `B`.
  private static func lastJump(_ code: Bytes, _ architecture: String) -> Int64? {
    switch architecture {
    case "x86_64":
      guard code.load(code.count - 5, as: UInt8.self) == 0xe9 else { return nil }
      return code.load(code.count - 4, as: Int32.self).map(Int64.init)
    case "aarch64":
      guard let word = code.load(code.count - 4, as: UInt32.self), word >> 26 == 5 else {
        return nil
      }
      return Int64(Int32(bitPattern: word << 6) >> 4) - 4
    default: return nil
    }
  }
}

/// Functions that do not return to their callers: async functions of Swift and their pieces.
package enum AsyncPieces {
  /// Whether a linker name is that of an async function or of a piece of one: `TQ<n>_` and `TY<n>_`
  /// behind the name of the function are what runs after an await (Swift, docs/ABI/Mangling.rst:
  /// async-await-resume and suspend partial functions), and a function type with `Ya` is async.
  package static func contains(_ name: String) -> Bool {
    // The main function of an async program is not mangled, but for its pieces' endings.
    if name == "async_Main" || isPiece(name) { return true }
    guard Demangler.isSwift(name), name.contains("Ya") else { return false }
    let text = Demangler.demangle(name)
    return text.contains(" async ") || text.contains("@async ")
  }

  private static func isPiece(_ name: String) -> Bool {
    var rest = Substring(name)
    guard rest.last == "_" else { return false }
    rest = rest.dropLast()
    while let last = rest.last, last.isNumber { rest = rest.dropLast() }
    return rest.hasSuffix("TQ") || rest.hasSuffix("TY")
  }
}
