import DeadCode
import FirstlightModel
import References
import TextFormatting

/// A never-called list for programs. Documentation/Dead.md lists the keys.
package enum DeadJSON {
  package static func text(
    _ list: DeadCodeList, references: FunctionReferences? = nil
  ) throws(Failure) -> String {
    try JSONForm.pretty(Document(list, references))
  }

  private struct Document: Encodable {
    var observed: ObservationDocument
    var totals: Totals
    var equation: Equation
    var functions: [FunctionDocument]
    var modules: [ModuleDocument]
    var weights: Weights
    var staleKeeps: [String]
    var baseline: BaselineDocument

    init(_ list: DeadCodeList, _ references: FunctionReferences?) {
      let report = list.report
      observed = ObservationDocument(report.observation)
      totals = Totals(list, references)
      equation = Equation(list.sums)
      functions = list.rows.map { row in
        var document = FunctionDocument(row, versions: report.observation.versions)
        document.references = references.flatMap { ReferenceDocument(row.identity, $0) }
        return document
      }
      modules = report.coverage().map(ModuleDocument.init)
      weights = Weights(
        modules: list.weights { [$0.module] }.map(WeightDocument.init),
        files: list.weights { [$0.file ?? ""] }.map(WeightDocument.init),
        owners: list.weights { $0.owners }.map(WeightDocument.init))
      staleKeeps = report.staleKeeps.map(\.identity)
      baseline = BaselineDocument(known: list.knownCount, outdated: list.outdated)
    }
  }

  /// Of one's own code, as in the formats for people.
  private struct Totals: Encodable {
    var functions, called, neverCalled, belowThreshold, compilerGenerated, inlined: Int
    var notInstrumented, dropped, kept: Int
    /// Functions of tests and dependencies.
    var otherCode: Int
    /// Of those that would be listed, how many have no name.
    var nameless: Int
    var neverCalledBytes: UInt64
    /// What can be deleted of the list; none without an index.
    var deletable: Deletable?

    init(_ list: DeadCodeList, _ references: FunctionReferences?) {
      let sums = list.sums
      func count(_ verdict: Verdict) -> Int { sums.functionVerdicts[verdict, default: 0] }
      deletable = references.map { Deletable(list, $0) }
      nameless = list.namelessCount
      functions = sums.functions
      otherCode = list.report.sums.functions - sums.functions
      called = count(.called)
      neverCalled = count(.neverCalled)
      belowThreshold = count(.belowThreshold)
      compilerGenerated = count(.compilerGenerated)
      inlined = count(.inlined)
      notInstrumented = count(.notInstrumented)
      dropped = count(.dropped)
      kept = count(.kept)
      neverCalledBytes = list.bytes(.neverCalled)
    }
  }

  private struct Deletable: Encodable {
    var functions: Int
    var bytes: UInt64
    var lines: Int

    init(_ list: DeadCodeList, _ references: FunctionReferences) {
      let rows = list.gated.filter { references.group($0.identity) == .deletable }
      functions = rows.count
      bytes = rows.reduce(0) { $0 + $1.bytes }
      lines = rows.reduce(0) { $0 + (references.lineCount($1.identity) ?? 0) }
    }
  }

  /// `guards` is the sum of the rest; `guardsOfAllKinds` counts the branches of level `edge` too.
  private struct Equation: Encodable {
    var guards, called, neverCalled, belowThreshold, folded, compilerGenerated, inlined: Int
    var notInstrumented, dropped, kept, outside, otherCode: Int
    var guardsOfAllKinds: Int
    var functionsWithoutGuard: Int
    var isBalanced: Bool

    init(_ sums: DeadCodeReport.Sums) {
      func count(_ verdict: Verdict) -> Int { sums.guardVerdicts[verdict, default: 0] }
      guards = sums.guards
      called = count(.called)
      neverCalled = count(.neverCalled)
      belowThreshold = count(.belowThreshold)
      folded = count(.folded)
      compilerGenerated = count(.compilerGenerated)
      inlined = count(.inlined)
      notInstrumented = count(.notInstrumented)
      dropped = count(.dropped)
      kept = count(.kept)
      outside = sums.outside
      otherCode = sums.foreign
      guardsOfAllKinds = sums.guardsOfAllKinds
      functionsWithoutGuard = sums.withoutGuard.values.reduce(0, +)
      isBalanced = sums.isBalanced
    }
  }

  private struct Weights: Encodable {
    var modules, files, owners: [WeightDocument]
  }

  /// `functions` are those that a run could have shown; `share` is that of the called ones, absent if there
  /// are `unknown` ones, which lack debug information.
  private struct ModuleDocument: Encodable {
    var name: String
    var functions, called, neverCalled, unknown: Int
    var neverCalledBytes: UInt64
    var share: Double?

    init(_ module: ModuleCoverage) {
      name = module.name
      functions = module.recorded
      called = module.called
      neverCalled = module.neverCalled
      unknown = module.unknown
      neverCalledBytes = module.neverCalledBytes
      share = module.share
    }
  }

  private struct WeightDocument: Encodable {
    var name: String
    var functions: Int
    var bytes: UInt64

    init(_ weight: DeadCodeList.Weight) {
      name = weight.name
      functions = weight.functions
      bytes = weight.bytes
    }
  }

  private struct BaselineDocument: Encodable {
    var known: Int
    var outdated: [String]
  }
}

/// How much was watched, as JSON shows it.
struct ObservationDocument: Encodable {
  struct Version: Encodable {
    var image, buildID: String
    var runs: Int
    var firstSeen: Double
  }

  struct Ending: Encodable {
    var text: String
    var runs: Int
    var isInterrupted: Bool
  }

  var runs, processes: Int
  var hosts: [String]
  var versions: [Version]
  var seconds, startedAt, endedAt: Double
  var losses: LossesDocument
  var problems: [String]
  /// Of runs that did not end well.
  var badEndings: [Ending]
  var withoutDebugInfo: [String]

  init(_ observation: Observation) {
    runs = observation.runs
    processes = observation.processes
    hosts = observation.hosts
    versions = observation.versions.map {
      Version(image: $0.image, buildID: $0.buildID, runs: $0.runs, firstSeen: $0.firstSeen)
    }
    seconds = observation.timeObserved
    startedAt = observation.startedAt
    endedAt = observation.endedAt
    losses = LossesDocument(observation.losses)
    problems = observation.problems.map(\.text)
    badEndings = observation.badEndings.map {
      Ending(text: $0.ending.text, runs: $0.count, isInterrupted: $0.ending.isInterrupted)
    }
    withoutDebugInfo = observation.imagesWithoutDebugInfo
  }
}

/// One function as JSON shows it.
struct FunctionDocument: Encodable {
  struct Piece: Encodable {
    /// `function` or what makes it a piece of one.
    var kind: String
    /// `guarded`, `unguarded`, `inlined` or `dropped`.
    var place: String
    var mangledName: String
    /// The build's place in the profile; -1 for what is in none.
    var build: Int

    init(_ piece: FunctionReport.Piece) {
      kind = piece.kind?.rawValue ?? "function"
      place =
        switch piece.place {
        case .guarded: "guarded"
        case .unguarded: "unguarded"
        case .inlined: "inlined"
        case .dropped: "dropped"
        }
      mangledName = piece.name
      build = piece.build
    }
  }

  var identity, module, image, name, shortName, mangledName, verdict: String
  /// `own`, `tests` or `dependency`; none if nothing shows whose code it is.
  var origin: String?
  var file: String?
  var line: Int?
  var bytes: UInt64
  var compilerGenerated: Bool
  var watchedRuns, calledRuns: Int
  var runShare, upperBound: Double
  var firstSeen, lastSeen: Double?
  var pieces: [Piece]
  var keep: String?
  var unusedSince: String?
  var owners: [String]?
  var references: ReferenceDocument?

  init(_ row: FunctionReport, versions: [ImageVersion]) {
    identity = row.identity
    module = row.module
    image = row.images.joined(separator: " ")
    name = row.name
    shortName = row.shortName
    mangledName = row.mangledName
    origin = row.origin?.rawValue
    verdict = row.verdict.rawValue
    file = row.file
    line = row.line > 0 ? row.line : nil
    bytes = row.bytes
    compilerGenerated = row.verdict == .compilerGenerated
    watchedRuns = row.watchedRuns
    calledRuns = row.calledRuns
    runShare = row.runShare
    upperBound = row.bound
    firstSeen = row.firstSeen > 0 ? row.firstSeen : nil
    lastSeen = row.lastSeen > 0 ? row.lastSeen : nil
    pieces = row.pieces.map(Piece.init)
    keep = row.keepReason
    unusedSince = row.unusedSince.map { versions[$0].buildID }
    owners = row.owners.isEmpty ? nil : row.owners
  }
}
