import FirstlightModel
import ReferenceIndex

/// The rules in the order of application: the first one with a result decides.
extension ReferenceClassifier {
  func reason(_ subject: Int) -> ReferenceReason {
    if let reason = keeping(subject) { return reason }
    let referrers = referrers[subject]
    guard let first = referrers.neverCalled.first else {
      return .unreferenced(
        clusters.isRemovable(subject)
          ? clusters.cluster(of: subject) : .init(functions: 1, bytes: subjects[subject].bytes))
    }
    guard clusters.isRemovable(subject) else {
      // One of the referrers is not removable, or a test refers to the function too.
      let kept = referrers.neverCalled.first { !clusters.isRemovable($0) }
      return .onlyNeverCalled(by: kept ?? first, test: referrers.test.map(site))
    }
    let root = clusters.root(of: subject)
    return .fallsWith(
      root: root, others: root == subject ? clusters.referrerCount(of: subject) : 0,
      clusters.cluster(of: root))
  }

  /// The reason that keeps a function regardless of never-called ones; nil: none.
  func keeping(_ number: Int, besideTests: Bool = false) -> ReferenceReason? {
    let (subject, referrers) = (subjects[number], referrers[number])
    // Only the declaration is known of a function without a symbol.
    if case .unknown(let reason) = subject.join {
      return subject.reachedByName.map { .reachedByName($0) } ?? .unknown(reason)
    }
    // A place in the source is the best evidence.
    if let live = referrers.live { return .liveCode(site(live)) }
    let users = symbol(of: number).flatMap(publicInterface)
    // Protocols and tests may be removed one day; this reason remains. A library exports what its headers declare.
    if let name = reachedByName(number), name != .exported || users == nil {
      return .reachedByName(name)
    }
    if let symbol = symbol(of: number) {
      // Calls through a requirement do not name the method.
      if let requirement = requirement(of: symbol) { return .answers(requirement) }
      let name = index.name(symbol)
      if index.traits[symbol].language == .swift, LanguageFeatures.useMember(named: name) {
        return .reachedByName(.languageFeature(name))
      }
      // In a library's own build, tests are the only callers.
      if let users, !options.allowsPublic { return .publicInterface(users) }
    }
    // Local functions of a never-called function fall with it.
    if case .local(let outer) = subject.join, referrers.neverCalled.isEmpty {
      return .local(within: index.name(outer))
    }
    if !besideTests, referrers.neverCalled.isEmpty, let test = referrers.test {
      return .onlyTests(site(test))
    }
    if let reason = symbol(of: number).flatMap(omission) { return .unknown(reason) }
    guard let refusal = subject.refusal, !(besideTests && refusal == .tests) else { return nil }
    return .refused(refusal)
  }

  /// Why there may be references to a symbol that the index lacks.
  private func omission(of symbol: ReferenceIndex.Symbol) -> FunctionJoin.Reason? {
    let traits = index.traits[symbol]
    // Templates call functions by names that are resolved for each instance, and a range-based `for` calls `begin` and
    // `end`.
    if traits.language == .cxx { return .templates }
    // Members of Optional and InlineArray (https://github.com/swiftlang/swift/issues/65723).
    let usr = index.usr(symbol)
    let isOfSugar = usr.begins(with: "s:Sq") || usr.begins(with: "s:s11InlineArrayV")
    if traits.kind == .constructor, isOfSugar { return .typeSugar }
    return index.doubtful.contains(symbol) ? .noRelocation : nil
  }

  // MARK: By name

  /// How code outside the compiled source reaches a function.
  private func reachedByName(_ subject: Int) -> ReachedByName? {
    if let name = subjects[subject].reachedByName { return name }
    guard let symbol = symbol(of: subject) else { return nil }
    let traits = index.traits[symbol]
    if traits.kind == .destructor { return .deinitializer }
    if traits.isUnitTest { return .test }
    if Self.isReserved(index.usr(symbol)) { return .reserved }
    let name = index.name(symbol)
    let isMain =
      traits.kind == .staticMethod && name == "main()"
      || traits.kind == .function && traits.language != .swift && name == "main"
    return isMain ? .entryPoint : nil
  }

  /// Whether a USR is that of a C function with a reserved name that is not local to its file: `__wrap_malloc`,
  /// `__asan_default_options`.
  private static func isReserved(_ usr: String) -> Bool {
    guard let next = usr.removing(prefix: "c:@F@_")?.utf8.first else { return false }
    return next == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(next)
  }

  // MARK: Requirements

  /// A requirement that a method implements or overrides, directly or not: preferably a used or possibly used one.
  private func requirement(
    of symbol: ReferenceIndex.Symbol
  ) -> ReferenceReason.Requirement? {
    var found: [ReferenceIndex.Symbol] = []
    var next = [symbol]
    while let current = next.popLast() {
      for relation in index.relations(of: current)
      where relation.roles.contains(.overrideOf) && relation.other != symbol
        && !found.contains(relation.other)
      {
        found.append(relation.other)
        next.append(relation.other)
      }
    }
    let requirements = found.map(describe)
    return requirements.first { $0.isUsed == true } ?? requirements.first { $0.isUsed == nil }
      ?? requirements.first
  }

  private func describe(_ requirement: ReferenceIndex.Symbol) -> ReferenceReason.Requirement {
    let owner = index.relations(of: requirement).first { $0.roles.contains(.childOf) }?.other
    var isUsed: Bool?
    if index.isDefined(requirement) {
      let referrers = referrers(to: requirement, countsOverrides: false)
      isUsed = referrers.live != nil || referrers.test != nil
    }
    return ReferenceReason.Requirement(
      name: index.name(requirement), owner: owner.map(index.name) ?? "", isUsed: isUsed)
  }

  // MARK: Libraries

  /// What makes a function known to users of a library; nil if nothing does.
  func publicInterface(of symbol: ReferenceIndex.Symbol) -> PublicInterface? {
    guard index.traits[symbol].language == .swift else {
      return target(ofHeaderDeclaring: symbol).map { .module($0) }
        ?? header(declaring: symbol).map { .header($0) }
    }
    guard let definition = index.definitions(of: symbol).first else { return nil }
    let module = index.files[definition.file].module
    let isKnown = options.libraryModules.contains(module) && isPublic(symbol)
    return isKnown ? .module(module) : nil
  }

  private func header(declaring symbol: ReferenceIndex.Symbol) -> String? {
    index.definitions(of: symbol).lazy.map { index.files[$0.file].path }
      .first(where: options.isPublicHeader)
  }

  /// Whether a symbol and all types around it are public. This includes members of a public
  /// extension, and requirements of a public protocol.
  private func isPublic(_ symbol: ReferenceIndex.Symbol) -> Bool {
    var isDeclared = isDeclaredPublic(symbol)
    var current = symbol
    // A limit on the nesting of types.
    for _ in 0..<64 {
      let parent = index.relations(of: current).first { $0.roles.contains(.childOf) }?.other
      guard let parent else { return isDeclared }
      let isExtension = index.traits[parent].kind == .typeExtension
      if isDeclaredPublic(parent) {
        isDeclared = isDeclared || isExtension || index.traits[parent].kind == .protocolType
      } else if !isExtension {
        return false
      }
      guard isDeclared else { return false }
      current = parent
    }
    return false
  }

  /// Whether a symbol's own declaration makes it public. Some compilers' indexes lack this; then
  /// the source decides.
  private func isDeclaredPublic(_ symbol: ReferenceIndex.Symbol) -> Bool {
    let access = index.traits[symbol].access
    guard access == .unknown else { return access == .public }
    return index.definitions(of: symbol).contains {
      options.isDeclaredPublic(index.files[$0.file].path, $0.line)
    }
  }

  /// The C target whose public headers, in its folder `include`, declare a function.
  private func target(ofHeaderDeclaring symbol: ReferenceIndex.Symbol) -> String? {
    for definition in index.definitions(of: symbol) {
      let folders = index.files[definition.file].path.split(at: "/").dropLast()
      guard let include = folders.lastIndex(where: { $0 == "include" }),
        include > folders.startIndex
      else {
        continue
      }
      let target = String(folders[include - 1])
      if options.libraryModules.contains(target) { return target }
    }
    return nil
  }
}
