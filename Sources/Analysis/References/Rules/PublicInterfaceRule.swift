import ReferenceIndex

/// Functions that users of a library product can call.
///
/// Before `OnlyTestsRule`: in a library's own build, tests are the only callers.
enum PublicInterfaceRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject) else { return nil }
    let index = classifier.index
    guard index.traits[symbol].language == .swift else {
      return target(ofHeaderDeclaring: symbol, in: classifier).map { .publicInterface(module: $0) }
    }
    guard let definition = index.definitions(of: symbol).first else { return nil }
    let module = index.files[definition.file].module
    guard classifier.options.libraryModules.contains(module), isPublic(symbol, in: classifier)
    else {
      return nil
    }
    return .publicInterface(module: module)
  }

  /// Whether a symbol and all types around it are public. This includes members of a public
  /// extension, and requirements of a public protocol.
  private static func isPublic(
    _ symbol: ReferenceIndex.Symbol, in classifier: ReferenceClassifier
  ) -> Bool {
    let index = classifier.index
    var isDeclared = isDeclaredPublic(symbol, in: classifier)
    var current = symbol
    // A limit on the nesting of types.
    for _ in 0..<64 {
      let parent = index.relations(of: current).first { $0.roles.contains(.childOf) }?.other
      guard let parent else { return isDeclared }
      let isExtension = index.traits[parent].kind == .typeExtension
      if isDeclaredPublic(parent, in: classifier) {
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
  private static func isDeclaredPublic(
    _ symbol: ReferenceIndex.Symbol, in classifier: ReferenceClassifier
  ) -> Bool {
    let access = classifier.index.traits[symbol].access
    guard access == .unknown else { return access == .public }
    return classifier.index.definitions(of: symbol).contains {
      classifier.options.isDeclaredPublic(classifier.index.files[$0.file].path, $0.line)
    }
  }

  /// The C target whose public headers, in its folder `include`, declare a function.
  private static func target(
    ofHeaderDeclaring symbol: ReferenceIndex.Symbol, in classifier: ReferenceClassifier
  ) -> String? {
    for definition in classifier.index.definitions(of: symbol) {
      let folders = classifier.index.files[definition.file].path.split(separator: "/").dropLast()
      guard let include = folders.lastIndex(of: "include"), include > folders.startIndex else {
        continue
      }
      let target = String(folders[include - 1])
      if classifier.options.libraryModules.contains(target) { return target }
    }
    return nil
  }
}
