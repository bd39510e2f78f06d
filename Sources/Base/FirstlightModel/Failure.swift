import Glibc

/// An error message for the user: the problem, its place and the remedy, on one line.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; the raw value is the exit code of the tool (sysexits.h).
  package enum Kind: Int32, Sendable {
    /// Fewer functions or runs were recorded than required, so there is no result.
    case insufficientEvidence = 2
    /// Some recorded data was lost: the result may be wrong.
    case lossy = 3
    /// The command line was wrong (EX_USAGE).
    case usage = 64
    /// The input is damaged, foreign or belongs to another build (EX_DATAERR).
    case data = 65
    /// An input file is missing or cannot be read (EX_NOINPUT).
    case noInput = 66
    /// A required tool, library or system permission is missing (EX_UNAVAILABLE).
    case unavailable = 69
    /// The operating system refused (EX_OSERR).
    case system = 71
    /// The output cannot be made (EX_CANTCREAT).
    case cannotCreate = 73
    /// Reading or writing failed half-way (EX_IOERR).
    case inputOutput = 74
    /// The program exists, but the system does not execute it (as env(1)).
    case notExecutable = 126
    /// There is no program of that name (as env(1)).
    case notFound = 127
  }

  package let kind: Kind
  /// The problem and its place, without final full stop.
  package let problem: String
  /// The next step for the user, without final full stop; empty if there is none.
  package let advice: String

  package init(_ kind: Kind, _ problem: String, advice: String = "") {
    self.kind = kind
    self.problem = problem
    self.advice = advice
  }

  package var description: String { advice.isEmpty ? problem : "\(problem); \(advice)" }
}

/// The system's message for an error number.
package enum ErrorText {
  /// - Parameter code: a value of `errno`.
  package static func of(_ code: Int32) -> String {
    // strerror(3) may return the same buffer to several callers.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
      strerror_r(code, room.baseAddress!, room.count) == 0
        ? String(cString: room.baseAddress!) : "error \(code)"
    }
  }
}

extension Failure {
  /// - Parameters:
  ///   - path: path of the store.
  ///   - what: the data that could not be read, or the reason.
  package static func damagedStore(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): \(Self.damagedStoreWords)\(what)")
  }

  /// Whether the store itself is damaged, whatever the query was.
  package var isOfDamagedStore: Bool {
    kind == .data && problem.contains(Self.damagedStoreWords)
  }

  private static let damagedStoreWords = "damaged store: "
}
