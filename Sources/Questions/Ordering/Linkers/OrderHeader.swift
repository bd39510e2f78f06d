import FirstlightModel

/// The comment at the beginning of each order file with comments.
enum OrderHeader {
  /// - Parameters:
  ///   - uses: commands that use the file, each on a line of its own, ready to copy.
  ///   - comment: the beginning and end of a comment line.
  static func text(
    _ order: SymbolOrder, uses: [String], comment: (open: String, close: String) = ("# ", "")
  ) -> String {
    let code = order.code
    let manner =
      switch order.strategy {
      case .firstCall: "in the order of their first calls"
      case .balanced: "in a balanced order"
      }
    let left =
      code.namelessFunctions
      + (code.names.map { $0.gone.count + $0.ambiguous.count + $0.leftOutLocals.count } ?? 0)
    var lines = [
      "Functions of \(code.path) \(manner), by Firstlight.",
      "Build id \(code.buildID)",
      "\(code.calledFunctions - left) of \(count(code.calledFunctions, "called function")), "
        + "from \(count(code.processes, "process", "processes")) in \(count(code.runs, "run"))",
    ]
    if let names = code.names {
      if !names.gone.isEmpty {
        lines.append("\(count(names.gone.count, "function")) left out: not in the target binary")
      }
      if !names.ambiguous.isEmpty {
        lines.append(
          "\(count(names.ambiguous.count, "function")) left out: several files have a function of the name"
        )
      }
      if !names.leftOutLocals.isEmpty {
        lines.append(
          "\(count(names.leftOutLocals.count, "function")) left out: too many local functions share it"
        )
      }
    }
    if code.namelessFunctions > 0 {
      lines.append("\(count(code.namelessFunctions, "function")) left out: no symbol")
    }
    if order.unwritableNames > 0 {
      lines.append("\(count(order.unwritableNames, "name")) left out: no line can hold it")
    }
    lines += uses.map { "Use: \($0)" }
    // The binary's path may contain anything but a zero byte.
    return lines.map { "\(comment.open)\(Escaping.comment($0))\(comment.close)\n" }.joined()
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }
}
