import SymbolOrdering

/// A text profile with temporal traces, as `llvm-profdata merge` reads it and lld's `--irpgo-profile`
/// takes it once merged (LLVM, InstrProfReader.cpp): the traces, not an order made of them.
///
/// After `:ir` and `:temporal_prof_traces` come how many traces there are, how many there were, and
/// for each trace its weight and the names of its functions. Then a record for each function: name,
/// hash, number of counters, counters. Hash and counter are made up: nothing was counted.
package enum ProftextFormat {
  static func text(_ order: SymbolOrder) -> String {
    // A function with aliases has one record: the traces need no more.
    let names = order.code.units.map { $0.names[0] }
    return OrderHeader.text(
      order,
      uses: [
        "llvm-profdata merge FILE -o FILE.profdata",
        (["clang"] + LinkRecipe.clang
          + ["-Wl,--irpgo-profile=FILE.profdata", "-Wl,--bp-startup-sort=function"])
          .joined(separator: " "),
      ])
      + text(traces: order.code.traces, names: names)
  }

  /// - Parameters:
  ///   - traces: indices into `names`.
  ///   - names: without blanks and commas, as linker symbols are.
  package static func text(traces: [[Int32]], names: [String]) -> String {
    var text = ":ir\n:temporal_prof_traces\n# Number of traces\n\(traces.count)\n"
    text += "# Traces in all\n\(traces.count)\n"
    var isCalled = [Bool](repeating: false, count: names.count)
    for trace in traces {
      text += "# Weight\n1\n"
      for (place, function) in trace.enumerated() {
        if place > 0 { text += "," }
        text += names[Int(function)]
        isCalled[Int(function)] = true
      }
      text += "\n"
    }
    for (name, isCalled) in zip(names, isCalled) where isCalled {
      text += "\n\(name)\n# Hash\n1\n# Counters\n1\n1\n"
    }
    return text
  }
}
