import FirstlightModel

/// Which functions of a build were copied into others, by the inline records of its image (DWARF 5,
/// section 3.3.8).
struct InlinedFunctions {
  /// What is known of the copies of one function.
  private struct Copies {
    /// An entry of the debug information that tells of the function.
    var origin: CodeSurvey.Origin
    var hosts: Set<UInt32> = []
    var hasUnwatchedHost = false
    var guards: Set<UInt32> = []

    func path(_ survey: CodeSurvey) -> String? {
      origin.path < 0 ? nil : survey.paths[Int(origin.path)]
    }
  }

  /// One function has an entry in each unit that copied it: Swift's are the same if their names are, others
  /// if they are declared in the same file too.
  private struct Identity: Hashable {
    var name: Int32
    var path: Int32
  }

  private let survey: CodeSurvey
  private let code: Range<UInt64>
  /// By number of a probe, its guard.
  private let probeGuards: [UInt32]

  init(_ survey: CodeSurvey, code: Range<UInt64>, probeGuards: [UInt32]) {
    self.survey = survey
    self.code = code
    self.probeGuards = probeGuards
  }

  /// The functions of `source` that have copies in others, sorted by name and place.
  func functions(of build: Build, _ source: SourceScope) -> [InlinedFunction] {
    let names = Names(survey, source)
    let isSourcePath = survey.paths.map { source.contains(file: $0) }
    var all: [Identity: Copies] = [:]
    // Nil for what is not of the source.
    let identities = survey.origins.map { origin -> Identity? in
      guard origin.name >= 0 else { return nil }
      if names.isSwift[Int(origin.name)] {
        return names.isSource[Int(origin.name)] ? Identity(name: origin.name, path: -1) : nil
      }
      guard origin.path >= 0, isSourcePath[Int(origin.path)] else { return nil }
      return Identity(name: origin.name, path: origin.path)
    }
    for (origin, identity) in zip(survey.origins, identities) {
      guard let identity else { continue }
      if let known = all[identity]?.origin, !isBefore(origin, known) { continue }
      all[identity] = Copies(origin: origin)
    }
    let watched = guards(of: build)
    for (origin, host) in survey.copies {
      guard let identity = identities[Int(origin)] else { continue }
      // A function with a cold part has several starts, one of which has the guard.
      let starts = survey.pieces[host] ?? [host]
      if let guardIndex = starts.lazy.compactMap({ watched[$0] }).first {
        all[identity]!.hosts.insert(guardIndex)
      } else {
        all[identity]!.hasUnwatchedHost = true
      }
    }
    if build.recorder == .guards {
      for (origin, probe) in survey.probed {
        guard let identity = identities[Int(origin)] else { continue }
        all[identity]!.guards.insert(probeGuards[Int(probe)])
      }
    }
    return sorted(all.values).map { describe($0, names) }
  }

  /// By name, then by place.
  private func sorted(_ all: some Sequence<Copies>) -> [Copies] {
    let byName = Dictionary(grouping: all, by: \.origin.name)
    return byName.keys.sorted { survey.names[Int($0)] < survey.names[Int($1)] }.flatMap { name in
      byName[name]!.sorted {
        ($0.path(survey) ?? "", $0.origin.line) < ($1.path(survey) ?? "", $1.origin.line)
      }
    }
  }

  /// Which of two entries of one function to believe: one that has a place, and of those the first by name,
  /// so that it does not matter which thread found which.
  private func isBefore(_ one: CodeSurvey.Origin, _ other: CodeSurvey.Origin) -> Bool {
    guard one.path >= 0, other.path >= 0 else { return one.path > other.path }
    guard one.path == other.path else {
      return survey.paths[Int(one.path)] < survey.paths[Int(other.path)]
    }
    return one.line < other.line
  }

  /// The entry guards of a build's functions, by where these start.
  private func guards(of build: Build) -> [UInt32: UInt32] {
    var guards: [UInt32: UInt32] = [:]
    for (function, entryGuard) in zip(build.functions, build.entryGuards) {
      guard let address = function.address, code.contains(address),
        let offset = UInt32(exactly: address - code.lowerBound)
      else { continue }
      guards[offset] = entryGuard
    }
    return guards
  }

  private func describe(_ copies: Copies, _ names: Names) -> InlinedFunction {
    let name = Int(copies.origin.name)
    let path = copies.path(survey)
    return InlinedFunction(
      name: survey.names[name], demangledName: names.demangled[name],
      module: names.modules[name], file: path, line: path == nil ? 0 : Int(copies.origin.line),
      hosts: copies.hosts.sorted(), hasUnwatchedHost: copies.hasUnwatchedHost,
      guards: copies.guards.sorted())
  }

  /// What the names of a survey's origins mean, each worked out once.
  private struct Names {
    var demangled: [String]
    var isSwift: [Bool]
    var modules: [String]
    /// Whether a Swift function is of the source.
    var isSource: [Bool]

    init(_ survey: CodeSurvey, _ source: SourceScope) {
      let count = survey.names.count
      var isOrigin = [Bool](repeating: false, count: count)
      for origin in survey.origins where origin.name >= 0 { isOrigin[Int(origin.name)] = true }
      let wanted = (0..<count).filter { isOrigin[$0] }
      let texts = wanted.map { survey.names[$0] }
      let names = Demangler.demangle(texts)
      demangled = [String](repeating: "", count: count)
      isSwift = [Bool](repeating: false, count: count)
      modules = [String](repeating: "", count: count)
      isSource = [Bool](repeating: false, count: count)
      for (place, index) in wanted.enumerated() {
        demangled[index] = names[place]
        isSwift[index] = Demangler.isSwift(texts[place])
        if isSwift[index] {
          modules[index] = Demangler.swiftModule(of: texts[place], demangled: names[place])
          isSource[index] = source.contains(module: modules[index])
        }
      }
    }
  }
}
