import FirstlightModel

/// The proof that a function table belongs to its build; higher values are stronger. A build id as such proves
/// nothing, since a linker writes any id that it is given.
package enum TableProof: Int, Comparable, Sendable {
  /// The file lay at a path that a trace names, or on a debuginfod server.
  case found
  /// A holder of the role `symbols` sent it.
  case sent
  /// Its build id is the hash of its contents, as lld makes it: no other file has it.
  case recomputed
  /// An administrator chose it: with a token of the role `admin`, as the daemon's own user, or by a debug directory.
  case chosen

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The decision about a function table that arrives for a build.
package struct TableDecision: Sendable {
  /// Whether it becomes the build's table.
  package var takesIt: Bool
  /// The proof of the build's table from now on.
  package var proof: TableProof
  /// How the table contradicts the one that the build had; nil if it does not.
  package var contradiction: String?

  /// A table that contradicts the earlier one replaces it only with more proof, or if an administrator says so.
  /// A table that agrees with the earlier one replaces it if it has more information.
  /// - Parameter known: the build's table until now.
  package init(
    on table: FunctionTable, _ proof: TableProof, known: (table: FunctionTable, proof: TableProof)?
  ) {
    self.proof = proof
    guard let known else {
      takesIt = true
      return
    }
    contradiction = table.build.contradiction(to: known.table.build)
    if contradiction != nil {
      takesIt = proof > known.proof || proof == .chosen
    } else {
      takesIt = proof >= known.proof && table.build.isBetter(than: known.table.build)
      self.proof = max(proof, known.proof)
    }
  }

  /// The contradiction for people; nil if there is none.
  /// - Parameter name: the name of the table's file.
  package func sentence(about name: String) -> String? {
    contradiction.map {
      "\(name) \(takesIt ? "replaced" : "contradicts") the functions of this build: \($0)"
    }
  }

  /// The refusal of a contradicting table.
  package func refusal(of name: String) -> Failure? {
    guard !takesIt, let sentence = sentence(about: name) else { return nil }
    return Failure(
      .data, sentence,
      advice: "send the file that ran; if it is this one, send it with a token of the role admin")
  }
}

extension FunctionTable {
  /// - Throws: `.data` if traces have another number of guards, and the table was only found or has no guards.
  package func check(guardsOfTraces: Int?, _ proof: TableProof) throws(Failure) {
    guard let guardsOfTraces, guardsOfTraces != build.guardCount else { return }
    if proof > .found, build.guardCount > 0 { return }
    throw Failure(
      .data,
      "\(build.path): has \(build.guardCount) guards, traces of build \(build.buildID.short) "
        + "have \(guardsOfTraces)", advice: "send the file that ran, not a later build")
  }
}

extension Build {
  /// The first difference to another table of the same build; nil if both can be of one file. A stripped file
  /// contradicts nothing.
  fileprivate func contradiction(to other: Build) -> String? {
    if guardCount != other.guardCount {
      return "it has \(guardCount) instrumented functions, not \(other.guardCount)"
    }
    if entryGuards == other.entryGuards {
      for (function, known) in zip(guarded, other.guarded) {
        guard !function.name.isEmpty, !known.name.isEmpty,
          Set([function.name] + function.aliases).isDisjoint(with: [known.name] + known.aliases)
        else { continue }
        return "it has \(function.demangledName) in place of \(known.demangledName)"
      }
    }
    return nil
  }
}

/// A file that contradicted a build's function table.
package struct Contradiction: Hashable, Sendable {
  /// For people.
  package var reason: String
  /// Time, seconds since 1970.
  package var at: Double

  package init(reason: String, at: Double) {
    self.reason = reason
    self.at = at
  }

  /// With the day.
  package var sentence: String { "\(FleetDay(of: at)): \(reason)" }
}
