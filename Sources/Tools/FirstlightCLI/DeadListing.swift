import ArgumentParser
import FirstlightModel
import NeverCalled
import Recording
import Reports
import SystemSupport

/// Writes a never-called list according to its options, and checks their gates.
struct DeadListing {
  let options: DeadOptions
  private var tree: SourceTree
  /// Paths of the profiles of the program's tests.
  private let tests: [String]
  private let source: Source

  /// What was recorded.
  enum Source { case runs, fleet, tests }

  init(
    _ options: DeadOptions, in tree: SourceTree, tests: [String] = [], of source: Source = .runs
  ) {
    self.options = options
    self.source = source
    self.tree = tree
    self.tests = tests
    (self.tree.own, self.tree.pathMaps) = (options.own, options.pathMap)
  }

  /// Writes the list; throws the command's exit code or failure.
  func run(on profile: consuming Profile) throws {
    let answer = try NeverCalledAnswer(
      to: request(), in: tree, index: options.usedIndex, onlyDeletable: options.deletable,
      allowsPublic: options.takesPublic, changedSince: options.changed, from: consume profile,
      tests: tests.isEmpty ? nil : ProfileFiles.readSums(tests), check: DeletionQuestion.ask)
    var list = answer.list
    list.limit = options.limit
    list.showsFullNames = options.fullNames
    if options.age { list.readChangeTimes() }
    if options.deletable, list.rows.isEmpty {
      let command = "firstlight dead --index auto" + (options.takesPublic ? " --public" : "")
      list.emptyReason =
        UndeletableText.line(answer.undeletable)
        + (answer.undeletable.isEmpty ? "" : "; \(command) lists them")
    }
    if let file = options.writeBaseline {
      try BaselineFile.write(Baseline(of: list.report), to: file)
    }
    let folder = options.report.output.flatMap(AbsolutePath.folder)
    let links = SourcePaths(root: folder ?? AbsolutePath.workingDirectory)
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    try Output.write(
      options.report.format.text(
        list, references: answer.references, paths: paths, links: links,
        style: Output.style(options.report.output)),
      to: options.report.output)
    if let missing = answer.missingIndex {
      Terminal.report("no index shows which tests call functions: \(missing)")
    }
    if let reason = list.emptyReason, !options.report.format.hasSentences {
      Terminal.report(reason)
    }
    if options.deletable {
      UndeletableText.publicLine(answer.undeletable).map { Terminal.report($0) }
    }
    try end(list, answer.references)
  }

  private func request() throws(Failure) -> NeverCalledRequest {
    var request = NeverCalledRequest()
    (request.modules, request.paths) = (options.module, options.path)
    (request.excluded, request.listsDependencies) = (options.exclude, options.dependencies)
    request.listsForeign = options.report.format.isComplete
    (request.isOfFleet, request.isOfTests) = (source == .fleet, source == .tests)
    (request.sorting, request.showsAll) = (options.sorting, options.all)
    (request.minimumBytes, request.below) = (options.minBytes, options.below?.value)
    (request.minimumRuns, request.minimumTime) = (options.minRuns, options.minTime?.seconds)
    if let file = options.baseline { try request.readBaseline(file) }
    if let file = options.owners { try request.readOwners(file) }
    if let file = options.gcSections { try request.readDropped(file) }
    return request
  }

  /// Gates are checked before losses.
  private func end(_ list: DeadCodeList, _ references: FunctionReferences?) throws {
    let gates = DeadGates(
      strict: options.strict, maxDead: options.maxDead, maxDeadBytes: options.maxDeadBytes,
      maxDeletable: options.maxDeletable)
    let exceeded = gates.exceeded(by: list, references: references)
    for line in exceeded { Terminal.report("gate exceeded: \(line)") }
    if !exceeded.isEmpty { throw ExitCode(1) }
    if let doubt = gates.doubt(about: list, references: references) { throw doubt }
    let losses = list.losses
    if !losses.isEmpty {
      throw Failure(
        .lossy,
        "the recording is incomplete (\(LossText.text(losses))): listed functions may have run",
        advice: "see firstlight info, and record again")
    }
  }
}
