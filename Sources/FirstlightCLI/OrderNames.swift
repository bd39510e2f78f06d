import FirstlightModel
import LinkerFormats

/// An order file that somebody names.
enum OrderNames {
  /// Its names. Fails with `.noInput`, and with `.data` if it holds none.
  static func read(_ path: String) throws(Failure) -> [String] {
    let names = OrderFile.names(try TextFile.read(path))
    if names.isEmpty {
      throw Failure(
        .data, "\(path): holds no name", advice: "make an order with: firstlight order FILE.flp")
    }
    return names
  }
}
