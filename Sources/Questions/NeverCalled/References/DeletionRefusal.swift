import FirstlightModel

/// Why a function stays that its references allow to delete.
package enum DeletionRefusal: Hashable, Codable, Sendable {
  /// No edit removes its declaration, or it would change what else is declared.
  case declaration(KeepingReason)
  /// Its file cannot be edited, for this reason.
  case file(String)
  /// The baseline has it.
  case baseline
  /// The program's tests call it.
  case tests

  package var text: String {
    switch self {
    case .declaration(let reason): reason.rawValue
    case .file(let reason): reason
    case .baseline: "in the baseline"
    case .tests: "tests call it"
    }
  }
}

/// The reason why an unneeded declaration stays.
package enum KeepingReason: String, Error, CaseIterable, Hashable, Codable, Sendable {
  case notFound = "not found in its file"
  case conditional = "in an #if branch"
  case storedProperty = "a stored property"
  case scriptVariable = "a variable of top-level code"
  case requirement = "a requirement of a protocol"
  case override = "overrides a method"
  case requiredInitializer = "a required initializer"
  case onlyInitializer = "the only initializer of a class with stored properties"
  case sharedDeclaration = "declared together with others"
  case severalFunctions = "its declaration makes several functions"
  case macro = "written by a macro"
  case unclearStart = "text before it may belong to it"
  case directive = "preprocessor lines are in it"
  case typeDefinition = "it defines a type"
  case markedUnused = "marked as unused on purpose"
  case linkerAttribute = "an attribute exposes it"
  case otherKind = "not a function, initializer, subscript or variable"
}
