import FirstlightModel
import LinkerFormats
import SystemSupport

/// An order file that the user names.
package enum OrderNames {
  /// Its names. Fails with `.noInput`, and with `.data` if it holds none.
  package static func read(_ path: String) throws(Failure) -> [String] {
    let names = OrderFile.names(try TextFile.read(path))
    if names.isEmpty {
      throw Failure(
        .data, "\(path): contains no names", advice: "make an order with firstlight order FILE.flp")
    }
    return names
  }
}
