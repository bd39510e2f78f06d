import Glibc

/// An error a person reads: what is wrong, where, and what to do about it, on one line.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; its raw value is the exit code of a tool that ends with it (sysexits.h).
  package enum Kind: Int32, Sendable {
    /// Less was watched than was asked for, so there is no result.
    case insufficientEvidence = 2
    /// Some of what happened was lost: the result may be wrong.
    case lossy = 3
    /// The command line was wrong (EX_USAGE).
    case usage = 64
    /// The input is not what it should be: damaged, foreign, of another build (EX_DATAERR).
    case data = 65
    /// An input file is missing or cannot be read (EX_NOINPUT).
    case noInput = 66
    /// Something needed is not there: a tool, a library, a permission of the system (EX_UNAVAILABLE).
    case unavailable = 69
    /// The operating system refused (EX_OSERR).
    case system = 71
    /// The output cannot be made (EX_CANTCREAT).
    case cannotCreate = 73
    /// Reading or writing failed half-way (EX_IOERR).
    case inputOutput = 74
    /// A program is there, and the system does not execute it (as env(1)).
    case notExecutable = 126
    /// There is no program of that name (as env(1)).
    case notFound = 127
  }

  package let kind: Kind
  /// What is wrong and where, without final full stop.
  package let problem: String
  /// What to do next, without final full stop; empty if there is nothing to say.
  package let advice: String

  package init(_ kind: Kind, _ problem: String, advice: String = "") {
    self.kind = kind
    self.problem = problem
    self.advice = advice
  }

  package var description: String { advice.isEmpty ? problem : "\(problem); \(advice)" }
}

/// The system's words for an error number.
package enum ErrorText {
  /// - Parameter code: as in `errno`.
  package static func of(_ code: Int32) -> String {
    // strerror(3) may give each caller the same memory.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
      strerror_r(code, room.baseAddress!, room.count) == 0
        ? String(cString: room.baseAddress!) : "error \(code)"
    }
  }
}

extension Failure {
  /// - Parameters:
  ///   - path: of the store.
  ///   - what: could not be read, or why.
  package static func damagedStore(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): \(Self.damagedStoreWords)\(what)")
  }

  /// Whether it is the store's own, and says nothing of what it was asked.
  package var isOfDamagedStore: Bool {
    kind == .data && problem.contains(Self.damagedStoreWords)
  }

  private static let damagedStoreWords = "damaged store: "
}
