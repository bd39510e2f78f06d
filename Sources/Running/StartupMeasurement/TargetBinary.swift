import DebugInfo
import FirstlightModel
import Recording
import SymbolOrdering

/// The binary that an order is for.
package enum TargetBinary {
  /// Its function symbols. Fails with `.data` if it has none.
  package static func symbols(of path: String) throws(Failure) -> TargetSymbols {
    TargetSymbols(try list(of: try open(path)))
  }

  package static func open(_ path: String) throws(Failure) -> DebugImage {
    let image = try DebugFiles.image(of: path)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(path): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    return image
  }

  /// Fails with `.data` if its file was changed while it was read.
  package static func list(of image: DebugImage) throws(Failure) -> [TargetSymbol] {
    let symbols = image.functionSymbols.map {
      TargetSymbol(name: $0.name, address: $0.address, size: $0.size, isLocal: $0.isLocal)
    }
    try image.checkUnchanged()
    return symbols
  }
}
