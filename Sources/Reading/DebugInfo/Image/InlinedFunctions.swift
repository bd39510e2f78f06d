import FirstlightModel
import SystemSupport

/// Finds a build's functions with inlined copies, from the inline records of its image (DWARF 5,
/// section 3.3.8).
struct InlinedFunctions {
  /// Each unit with a copy has its own entry of the function. Swift functions with the same name
  /// are the same; functions of other languages must also be declared in the same file.
  private struct Identity: Hashable {
    var name: Int32
    var path: Int32
  }

  /// All functions with inlined copies, numbered.
  private struct Group {
    /// The function of each origin of the survey; -1 if the origin is not part of the source.
    var ofOrigin: [Int32] = []
    /// The origin that describes each function.
    var origins: [Int32] = []
  }

  private let survey: CodeSurvey
  private let code: Range<UInt64>
  /// Copies that are recorded; nil if none is.
  private let hooks: HookedCopies?

  init(
    _ survey: CodeSurvey, code: Range<UInt64>, hooks: HookedCopies? = nil
  ) {
    self.survey = survey
    self.code = code
    self.hooks = hooks
  }

  /// The functions of `source` with inlined copies, sorted by name and place.
  func functions(of build: Build, _ source: SourceScope) -> [Function] {
    let names = Names(survey, source)
    let group = group(names, source)
    let watched = guards(of: build)
    var hosts: [UInt64] = []
    hosts.reserveCapacity(survey.copies.count)
    var hasUnwatchedHost = [Bool](repeating: false, count: group.origins.count)
    var hasCopies = [Bool](repeating: false, count: group.origins.count)
    for (origin, function) in zip(survey.origins, group.ofOrigin)
    where hooks == nil && origin.isInlined && function >= 0 { hasCopies[Int(function)] = true }
    for (origin, host) in survey.copies {
      let function = group.ofOrigin[Int(origin)]
      guard function >= 0, !isRecorded(origin, in: host) else { continue }
      hasCopies[Int(function)] = true
      if let guardIndex = self.guardIndex(of: host, watched) {
        hosts.append(Self.pair(function, guardIndex))
      } else {
        hasUnwatchedHost[Int(function)] = true
      }
    }
    // The places of these copies are unknown. Of a copy that calls a hook, there is code.
    for origin in survey.vanished
    where group.ofOrigin[Int(origin)] >= 0 && mayVanishUnseen(origin) {
      hasUnwatchedHost[Int(group.ofOrigin[Int(origin)])] = true
      hasCopies[Int(group.ofOrigin[Int(origin)])] = true
    }
    // gcc merges no functions with hooks, because each passes its own address.
    let named =
      survey.merged.isEmpty ? [] : Set(build.guarded.lazy.map { CloneSuffix.base(of: $0.name) })
    for origin in hooks == nil ? survey.merged : [] where group.ofOrigin[Int(origin)] >= 0 {
      // A function without code in any unit is not in a list.
      let name = survey.names[Int(survey.origins[Int(origin)].name)]
      guard named.contains(name) else { continue }
      hasUnwatchedHost[Int(group.ofOrigin[Int(origin)])] = true
      hasCopies[Int(group.ofOrigin[Int(origin)])] = true
    }
    let hostsOf = Self.split(hosts, count: group.origins.count)
    let copies = sorted(group.origins).filter { hasCopies[$0] }.map { function in
      describe(
        survey.origins[Int(group.origins[function])], names, hosts: hostsOf(function),
        hasUnwatchedHost: hasUnwatchedHost[function])
    }
    return copies + undescribed(build, source)
  }

  /// Whether a copy calls the hook.
  private func isRecorded(_ origin: Int32, in host: UInt32) -> Bool {
    guard let hooks, survey.origins[Int(origin)].name >= 0 else { return false }
    let name = survey.names[Int(survey.origins[Int(origin)].name)]
    return hooks.contains(name, in: survey.pieces[host] ?? [host])
  }

  /// Whether copies without code may have run unseen: gcc sets no hooks in those of a function that another object file
  /// defines (`extern inline` of GNU C, and `inline` of C that is always inlined).
  private func mayVanishUnseen(_ origin: Int32) -> Bool {
    guard let hooks else { return true }
    let name = survey.origins[Int(origin)].name
    return name >= 0 && survey.origins[Int(origin)].code == nil
      && hooks.isDefinedForOthers(survey.names[Int(name)])
  }

  /// Functions whose calls may go to another function's body: treated as copies in an unknown place.
  private func undescribed(_ build: Build, _ source: SourceScope) -> [Function] {
    let undescribed = Set(survey.undescribed)
    return build.guarded.filter { function in
      guard let offset = offset(of: function), undescribed.contains(offset),
        let file = function.file
      else { return false }
      return !function.isCompilerGenerated && source.contains(file: file)
    }.map { $0.named(code: .copies(of: [], unknownHost: true)) }
  }

  private func offset(of function: Function) -> UInt32? {
    guard let address = function.address, code.contains(address) else { return nil }
    return UInt32(exactly: address - code.lowerBound)
  }

  private func group(_ names: Names, _ source: SourceScope) -> Group {
    let isSourcePath = survey.paths.map { source.contains(file: $0) }
    var numbers: [Identity: Int32] = [:]
    var group = Group()
    group.ofOrigin.reserveCapacity(survey.origins.count)
    for (index, origin) in survey.origins.enumerated() {
      guard let identity = identity(of: origin, names, isSourcePath) else {
        group.ofOrigin.append(-1)
        continue
      }
      if let number = numbers[identity] {
        group.ofOrigin.append(number)
        if isBefore(origin, survey.origins[Int(group.origins[Int(number)])]) {
          group.origins[Int(number)] = Int32(index)
        }
      } else {
        let number = Int32(group.origins.count)
        numbers[identity] = number
        group.ofOrigin.append(number)
        group.origins.append(Int32(index))
      }
    }
    return group
  }

  /// Nil if the function is not part of the source.
  private func identity(
    of origin: CodeSurvey.Origin, _ names: Names, _ isSourcePath: [Bool]
  ) -> Identity? {
    guard origin.name >= 0 else { return nil }
    if names.isSwift[Int(origin.name)] {
      return names.isSource[Int(origin.name)] ? Identity(name: origin.name, path: -1) : nil
    }
    guard origin.path >= 0, isSourcePath[Int(origin.path)] else { return nil }
    return Identity(name: origin.name, path: origin.path)
  }

  /// The guard of the function with its entry at `host`, else of another piece of its code.
  ///
  /// A copy counts for the function's entry, wherever the copy's code lies: control may jump into
  /// the middle of a cold part, past the breakpoint at its start, and the hot part keeps code that
  /// a copy shares with its caller.
  private func guardIndex(of host: UInt32, _ watched: [UInt32: UInt32]) -> UInt32? {
    guard let starts = survey.pieces[host] else { return watched[host] }
    return starts.lazy.compactMap { watched[$0] }.first
  }

  private static func pair(_ function: Int32, _ guardIndex: UInt32) -> UInt64 {
    UInt64(UInt32(bitPattern: function)) << 32 | UInt64(guardIndex)
  }

  /// The guards of each function from many pairs, rising, without duplicates.
  private static func split(_ pairs: [UInt64], count: Int) -> (Int) -> [UInt32] {
    let pairs = pairs.sorted()
    var starts = [Int](repeating: 0, count: count + 1)
    for pair in pairs { starts[Int(pair >> 32) + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    return { function in
      var guards: [UInt32] = []
      for pair in pairs[starts[function]..<starts[function + 1]] {
        let guardIndex = UInt32(truncatingIfNeeded: pair)
        if guardIndex != guards.last { guards.append(guardIndex) }
      }
      return guards
    }
  }

  /// Indices into `origins`, sorted by name, then by place.
  private func sorted(_ origins: [Int32]) -> [Int] {
    let isBefore = isBefore
    return origins.indices.sorted {
      let one = survey.origins[Int(origins[$0])]
      let other = survey.origins[Int(origins[$1])]
      return one.name == other.name
        ? isBefore(one, other) : survey.names[Int(one.name)] < survey.names[Int(other.name)]
    }
  }

  /// The order of preference of a function's entries: those with a place first, then by name, so
  /// that the result does not depend on the threads.
  private func isBefore(_ one: CodeSurvey.Origin, _ other: CodeSurvey.Origin) -> Bool {
    guard one.path >= 0, other.path >= 0 else { return one.path > other.path }
    guard one.path == other.path else {
      return survey.paths[Int(one.path)] < survey.paths[Int(other.path)]
    }
    return one.line < other.line
  }

  /// The entry guards of a build's functions, by start offset.
  private func guards(of build: Build) -> [UInt32: UInt32] {
    var guards: [UInt32: UInt32] = [:]
    for function in build.guarded {
      if let offset = offset(of: function) { guards[offset] = function.guardIndex }
    }
    return guards
  }

  private func describe(
    _ origin: CodeSurvey.Origin, _ names: Names, hosts: [UInt32], hasUnwatchedHost: Bool
  ) -> Function {
    let name = Int(origin.name)
    let path = origin.path < 0 ? nil : survey.paths[Int(origin.path)]
    return Function(
      code: .copies(of: hosts, unknownHost: hasUnwatchedHost), name: survey.names[name],
      demangledName: names.demangled[name], module: names.modules[name], file: path,
      line: path == nil ? 0 : Int(origin.line))
  }

  /// The names of a survey's origins, each demangled once.
  private struct Names {
    var demangled: [String]
    var isSwift: [Bool]
    var modules: [String]
    /// Whether a Swift function belongs to the source.
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
      let swiftModules = Parallel.map(wanted.count, batch: 512) { place in
        texts[place].isSwiftSymbol
          ? Demangler.swiftModule(of: texts[place], demangled: names[place]) : nil
      }
      for (place, index) in wanted.enumerated() {
        demangled[index] = names[place]
        guard let module = swiftModules[place] else { continue }
        isSwift[index] = true
        modules[index] = module
        isSource[index] = source.contains(module: module)
      }
    }
  }
}
