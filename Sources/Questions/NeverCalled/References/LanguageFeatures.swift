import FirstlightModel

/// Members that Swift's compiler looks up and calls without their name in the source. A member with such a name for
/// another purpose counts, too.
///
/// The names are those of the compiler's list of known identifiers (KnownIdentifiers.def, Swift 6.3) that its
/// type checker looks up in a program's own types.
enum LanguageFeatures {
  private static let baseNames: Set<TextBytes> = [
    // Result builders.
    "buildArray", "buildBlock", "buildEither", "buildExpression", "buildFinalResult", "buildIf",
    "buildLimitedAvailability", "buildOptional", "buildPartialBlock",
    // String interpolation.
    "appendInterpolation", "appendLiteral",
    // Calls of values.
    "callAsFunction", "dynamicallyCall",
    // Property wrappers; `wrapperValue` is an older `projectedValue`.
    "wrappedValue", "projectedValue", "wrapperValue",
    // `case` patterns.
    "~=",
    // Loops.
    "makeIterator", "makeAsyncIterator", "asyncIterator",
    // Executors of actors.
    "unownedExecutor", "isIsolatingCurrentContext", "checkIsolated", "asUnownedSerialExecutor",
    // Systems of distributed actors, some of whose requirements no protocol can declare.
    "actorReady", "assignID", "decodeErrorType", "decodeGenericSubstitutions",
    "decodeNextArgument", "decodeReturnType", "doneRecording", "invokeHandlerOnReturn",
    "makeInvocationEncoder", "onReturn", "onReturnVoid", "onThrow", "recordArgument",
    "recordErrorType", "recordGenericSubstitution", "recordReturnType", "remoteCall",
    "remoteCallVoid", "resignID", "whenLocal",
    // Errors and bridging.
    "_code", "_domain", "_nsErrorDomain", "_bridgeToObjectiveC", "_forceBridgeFromObjectiveC",
    "_conditionallyBridgeFromObjectiveC", "_unconditionallyBridgeFromObjectiveC",
    "$main",
  ]
  /// Names that often mean something else with other labels.
  private static let names: Set<TextBytes> = [
    "next()", "next(isolation:)", "enqueue(_:)", "resolve(id:using:)", "move(by:)", "main()",
    // Derived conformances to Codable, also by overloads in extensions of containers.
    "encode(to:)", "encode(_:forKey:)", "encodeIfPresent(_:forKey:)", "decode(_:forKey:)",
    "decodeIfPresent(_:forKey:)",
    // Other derived conformances.
    "hash(into:)", "==(_:_:)", "<(_:_:)",
  ]
  /// First labels of initializers and subscripts.
  private static let labels = [
    "(_builtin", "(_enclosingInstance:", "(_erasing:", "(_regexString:", "(arrayLiteral:",
    "(booleanLiteral:", "(dictionaryLiteral:", "(dynamicMember:", "(erasing:",
    "(extendedGraphemeClusterLiteral:", "(floatLiteral:", "(from:", "(initialValue:",
    "(integerLiteral:", "(intValue:", "(literalCapacity:", "(nilLiteral:", "(projectedValue:",
    "(rawValue:", "(stringInterpolation:", "(stringInterpolationSegment:", "(stringLiteral:",
    "(stringValue:", "(unicodeScalarLiteral:", "(wrappedValue:",
  ]

  /// - Parameter name: with labels.
  static func useMember(named name: String) -> Bool {
    let base = name.prefix(upToAny: "(")
    let takesLabels = base == "init" || base == "subscript"
    return baseNames.contains(base) || names.contains(name)
      || takesLabels && labels.contains { name[base.endIndex...].begins(with: $0) }
  }
}
