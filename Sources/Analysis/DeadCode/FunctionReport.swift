/// One function of the source with its verdict and the evidence for it, over all builds.
package struct FunctionReport: Sendable {
  /// A piece of it, or the function itself: what has a guard, code without one, or is copied into
  /// others.
  package struct Piece: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
      /// Has a guard: index of the function in its build.
      case guarded(Int)
      /// Has code and no guard: index in the build's `unguarded`.
      case unguarded(Int)
      /// Index in the build's `inlined`.
      case inlined(Int)
      /// In the linker's list of what it dropped.
      case dropped
    }
    /// Index of the build in the profile; -1 for what is in none.
    package var build: Int
    package var place: Place
    /// Nil: it is the function itself.
    package var kind: PieceKind?
    package var isCompilerGenerated: Bool
    /// The linker's name; empty if it has none.
    package var name: String
  }

  /// Identifies it among all functions, in every build: neither line nor address is part of it.
  package var identity: String
  /// For people; of a variable or subscript without the accessor's name.
  package var name: String
  /// The linker's name of the piece that stands for it.
  package var mangledName: String
  /// Swift module; for other languages the image's name.
  package var module: String
  /// Names of the images it is in.
  package var images: [String]
  package var file: String?
  /// 0 if unknown.
  package var line: Int
  /// Whose code it is; nil if not asked for, or if neither its file nor its module shows it.
  package var origin: CodeOrigin?
  package var verdict: Verdict { reason.verdict }
  /// The rule that decided the verdict, and its figures.
  package internal(set) var reason: VerdictReason
  /// Runs that loaded a build that holds it.
  package var watchedRuns: Int
  /// Runs that called it: at least these, where several pieces were called.
  package var calledRuns: Int
  /// Seconds since 1970; 0 if it was never called.
  package var firstSeen: Double
  package var lastSeen: Double
  /// At 95% confidence the largest probability that a run calls it.
  package var bound: Double
  /// Bytes of its code with all its pieces, in the newest build of the image that has most of it.
  package var bytes: UInt64
  package var pieces: [Piece]
  /// Place in `pieces` of the one guard that bears the verdict; nil if none of them has a guard.
  package var head: Int?
  /// Why it is kept, where a rule or a comment says so.
  package var keepReason: String?
  /// The newest build but for which it was called, or the oldest that was watched if it never was:
  /// index in the report's `versions`. Nil if its newest build called it.
  package var unusedSince: Int?
  /// Who answers for its file.
  package var owners: [String] = []

  /// Whether it has no name: its binary is stripped. Only its address identifies it.
  package var isNameless: Bool { mangledName.isEmpty && file == nil }

  /// Its name as people write it, `Ware.price(of:_:)`; other functions may have the same.
  package var shortName: String { ShortName.of(name, mangled: mangledName) }

  /// Its module as people know it. Names of C, and a Swift program's own `main`, do not contain one: there it
  /// is the target, which SwiftPM's folder is named for, and else the images that it is in. Which of several
  /// images `module` is named after means nothing, as does the bundle that SwiftPM links all tests into.
  package var moduleLabel: String {
    guard let file, !EntityName.isSwift(mangledName) else { return module }
    let folders = file.split(separator: "/").dropLast()
    let isSwift = file.hasSuffix(".swift")
    if let sources = folders.lastIndex(of: "Sources"), sources + 1 < folders.endIndex {
      let target = String(folders[sources + 1])
      return isSwift ? Self.identifier(target) : target
    }
    guard images.count > 1 else { return isSwift ? Self.identifier(module) : module }
    let more = images.count - 3
    return images.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// As SwiftPM makes a module's name from a target's: `app-big` is `app_big`.
  private static func identifier(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  /// Share of the watched runs that called it.
  package var runShare: Double {
    watchedRuns > 0 ? Double(calledRuns) / Double(watchedRuns) : 0
  }

  /// Whether a reason to keep it is given although it is called.
  package var isStaleKeep: Bool {
    keepReason != nil && (verdict == .called || verdict == .belowThreshold)
  }
}

/// One build of an image, as a version of it.
package struct ImageVersion: Hashable, Sendable, Encodable {
  package var image: String
  package var buildID: String
  /// Seconds since 1970; 0 if nothing of it was ever called.
  package var firstSeen: Double
  package var runs: Int
}
