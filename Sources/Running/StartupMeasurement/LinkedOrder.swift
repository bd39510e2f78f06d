import DebugInfo
import FirstlightModel
import SymbolOrdering

/// An order set against the binary that was linked with it.
package enum LinkedOrder {
  /// - Parameter map: path of the linker's map, which knows what shares a section; nil: there is none.
  /// - Throws: `Failure` of kind `noInput` or `data` if the binary or the map cannot be read.
  package static func verify(
    _ names: [String], in binary: String, map: String?, pageSize: UInt32
  ) throws(Failure) -> OrderVerification {
    let image = try TargetBinary.open(binary)
    let symbols = try TargetBinary.list(of: image)
    let inputs = try map.map { path throws(Failure) in try LinkMapFile.read(path) }
    let verification = OrderVerification(
      of: names,
      in: LinkedBinary(
        symbols: symbols, outputSections: symbols.map { image.sectionName(at: $0.address) },
        inputSections: inputs ?? []),
      pageSize: pageSize, inlined: { image.inlinedFunctions(among: Set($0)) })
    try image.checkUnchanged()
    return verification
  }
}
