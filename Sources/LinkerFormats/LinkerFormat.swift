import SymbolOrdering

/// A way to tell a linker an order.
public enum LinkerFormat: String, CaseIterable, Sendable {
  /// lld's `--symbol-ordering-file`: a symbol name a line.
  case lld
  /// gold's `--section-ordering-file`: a section name a line.
  case gold

  /// The order as the text of the file to hand to the linker, with a comment at its head.
  public func text(_ order: SymbolOrder) -> String {
    switch self {
    case .lld: LLDFormat.text(order)
    case .gold: GoldFormat.text(order)
    }
  }
}

/// What stands at the head of every order, each line behind `#`.
enum OrderHeader {
  static func text(_ order: SymbolOrder, use: String) -> String {
    var lines = [
      "Functions of \(order.path) in the order of their first calls, by Firstlight.",
      "Build id \(order.buildID)",
      "\(count(order.names.count, "name")) of \(count(order.calledFunctions, "called function")), "
        + "from \(count(order.processes, "process", "processes")) in \(count(order.runs, "run"))",
    ]
    if order.absentNames > 0 {
      lines.append("\(count(order.absentNames, "name")) left out: the target has no such symbol")
    }
    if order.namelessFunctions > 0 {
      lines.append("\(count(order.namelessFunctions, "called function")) left out: no symbol")
    }
    lines.append("Use: \(use)")
    return lines.map { "# \($0)\n" }.joined()
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }
}
