/// All that the rules of verdicts ask about one function of the source, over all builds and runs. `EvidenceCollector`
/// collects it, and `VerdictRules` decides by it alone.
///
/// The defaults describe a function of C in unoptimised code with debug information, whose guard was watched from a
/// start and not reached.
struct FunctionEvidence: Hashable, Sendable {
  // MARK: Calls

  /// Runs that loaded code of it. Of counted functions, only runs that could show a call.
  var watchedRuns = 0
  var calledRuns = 0
  var runShare: Double { watchedRuns > 0 ? Double(calledRuns) / Double(watchedRuns) : 0 }
  /// Whether some code of it was never watched from a start of the program.
  var isWithoutStart = false
  /// The seconds of all windows; nil if some windows were of other builds.
  var windowSeconds: Double?
  /// Whether a recorder that attached to a running program could not watch some code of it.
  var isUnwatched = false

  // MARK: The source

  enum Language: Sendable { case swift, assembly, other }

  var language = Language.other
  var isCompilerGenerated = false
  /// Whether the line of its declaration declares no initializer or deinitializer. Not asked, so false, where a counter,
  /// or a missing one, shows whether the source has the function.
  var isImplicitMember = false
  /// Whether it is called `main`.
  var isMain = false
  var isMainOfTestedProgram = false
  /// Whether it is the initial value of a stored property.
  var isInitialValueOfProperty = false
  /// What its declaration says of copies. Unknown, so nil, of functions that some run called.
  var attribute: NeverCalledRequest.Inlining?
  /// Whether a comment or a rule of the user keeps it.
  var isKept = false

  // MARK: Counters

  /// The functions that the compiler counted. It sets counters before it inlines.
  enum Counted: Sendable {
    /// This one.
    case itself
    /// Pieces of it, such as closures: builds without assertions do not evaluate theirs.
    case pieces
    /// Others of its Swift file, or of its module if its file is unknown.
    case others
  }

  /// Code that the compiler did not count and that may be of the function, too.
  enum UncountedCode: Sendable {
    /// Swift code with guards, which show its calls unless they are inlined.
    case guarded
    case unseen
  }

  var counted: Counted?
  var uncountedCode: UncountedCode?

  // MARK: Its code

  /// The code that runs if and only if the function runs.
  enum Body: Sendable {
    case guarded
    /// Some of it has no guard.
    case unguarded
    /// It is nothing but copies in other functions.
    case copies
  }

  /// Code of other functions that runs in its place.
  enum OtherCode: Sendable { case called, mayHaveRun, unwatched }

  /// False if it is only in older builds, or in the linker's list of dropped code.
  var isInNewestBuild = true
  /// Whether a binary has code of it, or copies.
  var isInBinary = true
  var body = Body.guarded
  /// The functions with copies of it; nil: it has none, or none of these ran.
  var copies: OtherCode?
  /// The names that share its address, because compilers or linkers merged equal code; nil likewise.
  var sharedCode: OtherCode?
  /// Whether it is a C++ destructor without code of its own in a build that may be optimised.
  var isMissingDestructor = false
  /// Whether it is a Swift variable whose bytes the compiler has set, so that code reads it without a call.
  var isReadDirectly = false
  /// Whether nothing but the names of a Swift variable's accessors is known: debug information says nothing of them.
  var isMergedAccessor = false

  // MARK: Its builds

  var isOptimised = false
  /// Bytes of the largest body, if one is in an optimised build.
  var optimisedSize: UInt64?
  /// Whether only builds with entry hooks have it, which copies call, too.
  var isHooked = false
  /// Whether no debug information describes some code of it.
  var isWithoutDebugInformation = false
}
