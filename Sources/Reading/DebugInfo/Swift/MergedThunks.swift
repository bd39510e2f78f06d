import FirstlightModel

/// Functions that Swift's optimiser merged because their bodies were equal: each becomes a few
/// instructions that end in a jump to the shared body, whose name ends in `Tm`
/// (swift/lib/LLVMPasses/LLVMMergeFunctions.cpp). Debug information has at most an entry for the body.
struct MergedThunks {
  private let image: DebugImage

  init(_ image: DebugImage) { self.image = image }

  /// Indices of the functions that are or may be written in the source: their shared body is, or, if the body has no
  /// debug information, not only compilers make functions of such a name.
  ///
  /// Excludes initializers and deinitializers, since debug information gives even generated ones a
  /// line.
  func written(_ candidates: [Int], of functions: [Function]) -> Set<Int> {
    var thunks: [Int] = []
    var bodies: [UInt64] = []
    for index in candidates where SwiftSymbol(functions[index].name)?.isOftenImplicit == false {
      guard let body = body(of: functions[index]) else { continue }
      thunks.append(index)
      bodies.append(body)
    }
    guard !bodies.isEmpty else { return [] }
    let places = image.source.declarations(at: bodies)
    return Set(
      zip(thunks, places).filter { thunk, place in
        place.file == nil
          ? SwiftSymbol(functions[thunk].name)?.mayBeWritten == true : !place.isCompilerGenerated
      }.map(\.0))
  }

  /// The address of the shared body that a function jumps to, directly or through its own
  /// specialisation; nil if the function is no such thunk.
  private func body(of function: Function) -> UInt64? {
    guard var address = function.address else { return nil }
    var size = function.size
    for _ in 0..<2 {
      guard let target = jump(at: address, size: size) else { return nil }
      let symbols = image.symbols
      let places = symbols.indices(at: target)
      if places.contains(where: { SwiftSymbol(symbols.name($0))?.isMergedBody == true }) {
        return target
      }
      guard let own = places.first(where: { symbols.name($0).begins(with: function.name) }) else {
        return nil
      }
      (address, size) = (target, symbols.entries[own].size)
    }
    return nil
  }

  /// The target of the jump at the end of a function's code.
  private func jump(at address: UInt64, size: UInt64) -> UInt64? {
    guard (4...256).contains(size), let offset = image.elf.fileOffset(of: address),
      let code = image.elf.file.bytes.slice(offset, size)
    else { return nil }
    var target: UInt64?
    CodeReferences(code, at: address, image.elf).visit {
      if $0.kind == .jump, $0.place.upperBound == address &+ size { target = $0.target }
      return false
    }
    return target
  }
}
