/// Why a declaration stays though nothing needs it.
package enum KeepingReason: String, Error, CaseIterable, Hashable, Sendable {
  case notFound = "not found in its file"
  case conditional = "in an #if branch"
  case storedProperty = "a stored property"
  case scriptVariable = "a variable of top-level code"
  case requirement = "a requirement of a protocol"
  case override = "overrides a method"
  case requiredInitializer = "a required initializer"
  case onlyInitializer = "the only initializer of a class with stored properties"
  case sharedDeclaration = "declared together with others"
  case macro = "written by a macro"
  case otherKind = "not a function, initializer, subscript or variable"
}
