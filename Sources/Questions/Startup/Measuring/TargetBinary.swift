import DebugInfo
import FirstlightModel
import Glibc
import Ordering
import Recording
import SystemSupport

/// The target binary of an order.
package enum TargetBinary {
  /// Its function symbols. Throws `.data` if it has none.
  package static func symbols(of path: String) throws(Failure) -> TargetSymbols {
    let image = try open(path)
    return TargetSymbols(try list(of: image)) { image.source.declaringFile(ofFunctionAt: $0) }
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

  /// Throws `.data` if the file was changed meanwhile.
  package static func list(of image: DebugImage) throws(Failure) -> [TargetSymbol] {
    let symbols = image.symbols.all.map {
      TargetSymbol(name: $0.name, address: $0.address, size: $0.size, isLocal: $0.isLocal)
    }
    try image.checkUnchanged()
    return symbols
  }
}
