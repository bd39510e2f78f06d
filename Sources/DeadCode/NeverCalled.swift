import FirstlightModel

/// The functions of a profile that no recorded run called.
public struct NeverCalled: Sendable {
  /// One function with where it belongs.
  public struct Row: Sendable {
    /// The function's Swift module; for other languages, its image's file name.
    public var module: String
    public var image: String
    public var function: Function
  }

  /// Counts over all functions that the filter lets through.
  public struct Totals: Hashable, Sendable {
    public var functions = 0
    public var called = 0
    /// Never called and written by somebody: the rows.
    public var neverCalled = 0
    /// Never called and made by the compiler: rows too if they were asked for, else only counted.
    public var compilerMadeNeverCalled = 0
    /// Bytes of the never-called functions' symbols, without the compiler-made ones.
    public var bytes: UInt64 = 0
  }

  /// Sorted by module, file, line, name.
  public var rows: [Row]
  public var totals: Totals
  /// Runs that were watched.
  public var runs: Int
  public var processes: Int
  public var losses: Losses
  /// Seconds, summed over all runs.
  public var timeObserved: Double
  /// Builds without debug information: nothing tells what the compiler made of them.
  public var buildsWithoutDebugInfo: [String]
  public var includesCompilerMade: Bool

  /// - Parameters:
  ///   - includeCompilerMade: list functions that the compiler made as well.
  ///   - isWanted: the functions to look at, by module and file.
  public init(
    of profile: Profile, includeCompilerMade: Bool,
    isWanted: (_ module: String, _ file: String?) -> Bool
  ) {
    var rows: [Row] = []
    var totals = Totals()
    // Few modules and files have many functions: each pair is judged once.
    var judged: [Place: Bool] = [:]
    for recorded in profile.builds {
      let build = recorded.build
      let image = build.name
      for index in build.functions.indices {
        let function = build.functions[index]
        let module = function.module.isEmpty ? image : function.module
        let place = Place(module: module, file: function.file)
        let wanted = judged[place] ?? isWanted(module, function.file)
        judged[place] = wanted
        guard wanted else { continue }
        totals.functions += 1
        if recorded.isCalled(function: index) {
          totals.called += 1
        } else if function.isCompilerMade {
          totals.compilerMadeNeverCalled += 1
          if includeCompilerMade {
            rows.append(Row(module: module, image: image, function: function))
          }
        } else {
          totals.neverCalled += 1
          totals.bytes += function.size
          rows.append(Row(module: module, image: image, function: function))
        }
      }
    }
    self.rows = rows.sorted(by: Self.isBefore)
    self.totals = totals
    runs = profile.runs.count + profile.unlisted.runs
    processes = profile.processes.count + profile.unlisted.processes
    losses = profile.losses
    timeObserved = profile.runs.reduce(profile.unlisted.seconds) {
      $0 + max(0, $1.endedAt - $1.startedAt)
    }
    buildsWithoutDebugInfo = profile.builds.filter { !$0.build.hasDebugInfo }.map(\.build.name)
    includesCompilerMade = includeCompilerMade
  }

  private struct Place: Hashable {
    var module: String
    var file: String?
  }

  private static func isBefore(_ a: Row, _ b: Row) -> Bool {
    if a.module != b.module { return a.module < b.module }
    let aFile = a.function.file ?? ""
    let bFile = b.function.file ?? ""
    if aFile != bFile { return aFile < bFile }
    if a.function.line != b.function.line { return a.function.line < b.function.line }
    return a.function.name < b.function.name
  }
}

extension RecordedBuild {
  /// Whether any run called a function: its entry guard, or at level `edge` any guard of it.
  public func isCalled(function index: Int) -> Bool {
    let first = Int(build.entryGuards[index])
    let end =
      index + 1 < build.entryGuards.count ? Int(build.entryGuards[index + 1]) : build.guardCount
    return coverage[first..<max(end, first + 1)].contains { $0.isCalled }
  }
}
