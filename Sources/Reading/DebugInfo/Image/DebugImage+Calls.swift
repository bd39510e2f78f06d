import CElfutils
import FirstlightModel
import SystemSupport

/// What is certain of the calls of functions in optimised code, as far as the file shows it.
package struct CallFacts: Sendable {
  /// Whether gcc compiled all code of the file, one unit at a time: then it inlined or removed only calls within a
  /// unit. It says so of each function that it inlined, even if nothing is left of a copy.
  package var isCompiledApart = false
  /// The names of the units' files, without folders.
  package var units: Set<String> = []
  /// Starts of functions with an effect that no compiler removes.
  package var effective: Set<UInt64> = []

  package init() {}
}

extension DebugImage {
  package func callFacts() -> CallFacts {
    var facts = CallFacts()
    guard hasDebugInfo, let units = dwarf.unitsCompiledApart() else { return facts }
    facts.isCompiledApart = true
    facts.units = units
    facts.effective = EffectScanner(self).functions()
    return facts
  }
}

extension DWARFIndex {
  /// The files of all units that have code; nil unless gcc made each, without link-time optimisation. Unlike clang, it
  /// names its options.
  fileprivate func unitsCompiledApart() -> Set<String>? {
    let code = units.indices.filter {
      units[$0].isCode && (units[$0].hasRanges || units[$0].hasLines)
        && units[$0].language != DWARFUnit.assembler
    }
    let parts = sweep(code, Set<String>?([])) { names, unit in
      guard UnitOptimisation.isApart(producer: unit.text(Attribute.producer) ?? "") else {
        names = nil
        return
      }
      names?.insert(BaseName.of(unit.text(Attribute.name) ?? ""))
    }
    guard !code.isEmpty, parts.allSatisfy({ $0 != nil }) else { return nil }
    return parts.reduce(into: []) { $0.formUnion($1 ?? []) }
  }
}

extension UnitOptimisation {
  /// Whether a producer is gcc, with its options recorded and no link-time optimisation among them.
  static func isApart(producer: String) -> Bool {
    guard producer.hasPrefix("GNU C") else { return false }
    let options = producer.split(separator: " ").filter { $0.hasPrefix("-") }
    return !options.isEmpty
      && !options.contains { $0.hasPrefix("-flto") || $0 == "-fwhole-program" }
  }
}
