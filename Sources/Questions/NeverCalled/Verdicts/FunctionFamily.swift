import FirstlightModel

/// A function of the source with its pieces, before its verdict.
struct FunctionFamily {
  /// What its functions have in common.
  struct Key: Hashable {
    @TextBytes var name: String
    /// The number of its file or image; nil if the name is unique in the program.
    var owner: Int32?
    var overload = 0
  }

  var root: String
  /// Its place among functions of this name in one file.
  var overload = 0
  var isSwift: Bool
  var pieces: [FunctionReport.Piece] = []
}

extension FunctionFamily {
  /// The family, named after its root. A family of default arguments alone is named after these.
  var named: FunctionFamily {
    guard isSwift, !pieces.isEmpty, pieces.allSatisfy({ $0.kind == .defaultArgument }) else {
      return self
    }
    var result = self
    result.root = DefaultArgument.name(of: root, generators: pieces.lazy.map(\.name))
    return result
  }
}
