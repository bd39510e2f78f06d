import FirstlightModel

/// One function of the source with its verdict and the evidence for it, over all builds.
package struct FunctionReport: Sendable {
  /// A piece of a function, or the function itself.
  package struct Piece: Hashable, Sendable {
    /// Index of the build in the profile; nil for a piece that is in no build.
    package var build: Int?
    /// Index in the build's `functions`.
    package var index: Int
    package var code: Function.Code
    /// Nil if the piece is the function itself.
    package var kind: PieceKind?
    package var isCompilerGenerated: Bool
    /// The linker's name; empty without a symbol.
    package var name: String

    package var isGuarded: Bool { if case .guarded = code { true } else { false } }

    package var isCopied: Bool { if case .copies = code { true } else { false } }

    package var isCounted: Bool { if case .counted = code { true } else { false } }

    /// Whether the binary has code of it.
    package var isInBinary: Bool {
      switch code {
      case .guarded, .unguarded, .copies: true
      case .counted, .dropped: false
      }
    }
  }

  /// Identifies the function among all functions of every build, without its line and address.
  package var identity: String
  /// The name for people. Names of variables and subscripts lack the accessor's name.
  package var name: String
  /// The name as people write it, `Ware.price(of:_:)`. Several functions may have the same short name.
  package var shortName: String { short.text }
  let short: ShortName
  /// The linker's name of the piece that represents the function.
  package var mangledName: String
  /// Swift module; for other languages the image's name.
  package var module: String
  /// Names of the images that contain the function.
  package var images: [String]
  package var file: String?
  /// 0 if unknown.
  package var line: Int
  /// The origin of the code; nil if not requested, or if neither file nor module shows it.
  package var origin: CodeOrigin?
  package var verdict: Verdict { reason.verdict }
  /// The rule that decided the verdict, and its figures.
  package internal(set) var reason: VerdictReason
  /// Runs that loaded a build that contains the function.
  package var watchedRuns: Int
  /// Runs that called the function. If several pieces were called, a lower bound.
  package var calledRuns: Int
  /// Seconds since 1970; 0 if the function was never called.
  package var firstSeen: Double
  package var lastSeen: Double
  /// The largest probability that a run calls the function, at 95% confidence.
  package var bound: Double
  /// Bytes of code of all pieces, in the newest build of the image that has the most of them.
  package var bytes: UInt64
  package var pieces: [Piece]
  /// Index in `pieces` of the one guard that has the verdict; nil if no piece has a guard.
  package var head: Int?
  /// Whether the tests called it: unknown too if their binaries lack it. Nil if no profile of tests was given.
  package var tests: Verdict.Answer?
  /// Why the function is kept, if a rule or a comment gives a reason.
  var keepReason: String?
  /// The oldest recorded build from which on no build called the function: index in the report's `versions`.
  /// Nil if the newest build called it.
  package var unusedSince: Int?
  /// The owners of its file.
  package var owners: [String] = []

  /// Whether the function has no name, because its binary is stripped. Only its address identifies it.
  package var isNameless: Bool { mangledName.isEmpty && file == nil }

  package var isSwift: Bool { mangledName.isSwiftSymbol }

  /// Whether it is the `main` of a program, under whichever name.
  package var isMain: Bool { mangledName == "main" || isMainOfTestedProgram }

  /// Whether it is the `main` of a Swift program whose code is linked into tests: SwiftPM names it `Tool_main` there.
  var isMainOfTestedProgram: Bool {
    mangledName.ends(with: "_main") && !isSwift && file?.ends(with: ".swift") == true
  }

  /// The module as people know it. C names, and a Swift program's own `main`, contain no module: these
  /// functions belong to the target that SwiftPM's folder is named after, or else to their images. `module`
  /// names only one of several images, or the bundle into which SwiftPM links all tests, so it is no help.
  var moduleLabel: String {
    guard let file, !mangledName.isSwiftSymbol else { return module }
    let folders = file.split(at: "/").dropLast()
    let isSwift = file.ends(with: ".swift")
    if let sources = folders.lastIndex(where: { $0 == "Sources" }),
      sources + 1 < folders.endIndex
    {
      let target = String(folders[sources + 1])
      return isSwift ? Self.identifier(target) : target
    }
    guard images.count > 1 else { return isSwift ? Self.identifier(module) : module }
    let more = images.count - 3
    return images.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// A module's name as SwiftPM makes it from a target's: `app-big` becomes `app_big`.
  private static func identifier(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { $0.properties.isXIDContinue ? $0 : "_" }))
  }

  /// The share of the recorded runs that called the function.
  package var runShare: Double {
    watchedRuns > 0 ? Double(calledRuns) / Double(watchedRuns) : 0
  }

  /// Whether the tests called it, and the program did not.
  var isCalledByTestsAlone: Bool { verdict == .neverCalled && tests == .called }

  /// Whether only the tests' binaries have the function.
  var isOnlyInTests: Bool { reason == .onlyInTests || reason == .notInProgram }

  /// Whether the function has a reason to be kept although it is called.
  var isStaleKeep: Bool {
    keepReason != nil && verdict.answer == .called
  }
}

/// A build of an image, as a version of the image.
package struct ImageVersion: Hashable, Sendable, Encodable {
  package var image: String
  package var buildID: String
  /// Seconds since 1970; 0 if no function of the build was ever called.
  package var firstSeen: Double
  package var runs: Int
}

extension Profile {
  /// The record of a piece; nil if it is in no build.
  func function(of piece: FunctionReport.Piece) -> Function? {
    piece.build.map { builds[$0].build.functions[piece.index] }
  }
}
