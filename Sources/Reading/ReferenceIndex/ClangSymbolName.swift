import FirstlightModel

/// A C function's linker name, to be found in an index. Functions of C++ are found by their place.
struct ClangSymbolName {
  private let name: String

  init(_ name: String) {
    // `.part.0`, `.cold`, `.llvm.1234`: what optimizers add.
    self.name = name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// - Parameter file: where it is declared: functions that a file keeps for itself are named with it.
  func find(in index: ReferenceIndex, file: String?) -> ReferenceIndex.Symbol? {
    if let file,
      let symbol = index.symbol(usr: "c:\(BaseName.of(file))@F@\(name)"),
      index.definitions(of: symbol).contains(where: { index.files[$0.file].path == file })
    {
      return symbol
    }
    guard let symbol = index.symbol(usr: "c:@F@\(name)"), index.isDefined(symbol) else {
      return nil
    }
    return symbol
  }
}
