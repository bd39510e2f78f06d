/// A text profile with temporal traces, for `llvm-profdata merge` and, once merged, lld's `--irpgo-profile`
/// (LLVM, InstrProfReader.cpp). It has the traces, not an order made from them.
///
/// After `:ir` and `:temporal_prof_traces` follow the number of traces in the file, the number of all traces,
/// and for each trace its weight and the names of its functions. Then comes a record for each function: name,
/// hash, number of counters, counters. Hash and counter are placeholders, because nothing was counted.
package enum ProftextFormat {
  static func text(_ order: SymbolOrder) -> String {
    // One record is enough for a function with aliases, because the traces need no more.
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
  ///   - names: linker symbols, without blanks and commas.
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
