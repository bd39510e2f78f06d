/// The kind of an index symbol (`indexstore_symbol_kind_t` of LLVM's indexstore.h).
package enum IndexSymbolKind: UInt32, Sendable {
  case unknown = 0
  case module = 1
  case namespace = 2
  case namespaceAlias = 3
  case macro = 4
  case enumeration = 5
  case structure = 6
  case classType = 7
  case protocolType = 8
  case typeExtension = 9
  case union = 10
  case typeAlias = 11
  case function = 12
  case variable = 13
  case field = 14
  case enumerationCase = 15
  case instanceMethod = 16
  case classMethod = 17
  case staticMethod = 18
  case instanceProperty = 19
  case classProperty = 20
  case staticProperty = 21
  case constructor = 22
  case destructor = 23
  case conversionFunction = 24
  case parameter = 25
  case using = 26
  case concept = 27
  case commentTag = 1000

  /// Whether the symbol has code that is called by its name.
  package var isFunction: Bool {
    switch self {
    case .function, .instanceMethod, .classMethod, .staticMethod, .constructor, .destructor,
      .conversionFunction:
      true
    default: false
    }
  }

  /// Whether reading or writing the symbol calls code.
  package var isVariable: Bool {
    switch self {
    case .variable, .field, .instanceProperty, .classProperty, .staticProperty: true
    default: false
    }
  }

  /// Whether code can belong to the symbol: closures, default arguments.
  var canHavePieces: Bool { isFunction || isVariable || self == .enumerationCase }

  package var isType: Bool {
    switch self {
    case .enumeration, .structure, .classType, .protocolType, .union, .typeAlias: true
    default: false
    }
  }

  /// Whether the symbol is irrelevant to references between functions.
  var isIrrelevant: Bool {
    switch self {
    case .module, .namespace, .namespaceAlias, .macro, .parameter, .using, .commentTag: true
    default: false
    }
  }
}
