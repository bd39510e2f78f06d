/// What an occurrence does with its symbol, and what a relation is (`indexstore_symbol_role_t` of
/// LLVM's indexstore.h).
package struct IndexRoles: OptionSet, Hashable, Sendable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let declaration = IndexRoles(rawValue: 1 << 0)
  package static let definition = IndexRoles(rawValue: 1 << 1)
  package static let reference = IndexRoles(rawValue: 1 << 2)
  package static let read = IndexRoles(rawValue: 1 << 3)
  package static let write = IndexRoles(rawValue: 1 << 4)
  package static let call = IndexRoles(rawValue: 1 << 5)
  /// Which function is called is known when the program runs.
  package static let dynamic = IndexRoles(rawValue: 1 << 6)
  package static let addressOf = IndexRoles(rawValue: 1 << 7)
  /// The compiler made it: the name is not written there.
  package static let implicit = IndexRoles(rawValue: 1 << 8)

  package static let childOf = IndexRoles(rawValue: 1 << 9)
  package static let baseOf = IndexRoles(rawValue: 1 << 10)
  /// Overrides a method, or answers a protocol's requirement.
  package static let overrideOf = IndexRoles(rawValue: 1 << 11)
  package static let receivedBy = IndexRoles(rawValue: 1 << 12)
  package static let calledBy = IndexRoles(rawValue: 1 << 13)
  package static let extendedBy = IndexRoles(rawValue: 1 << 14)
  package static let accessorOf = IndexRoles(rawValue: 1 << 15)
  package static let containedBy = IndexRoles(rawValue: 1 << 16)
  package static let specializationOf = IndexRoles(rawValue: 1 << 18)
  package static let nameReference = IndexRoles(rawValue: 1 << 20)

  /// All that use a symbol.
  package static let uses: IndexRoles = [.reference, .read, .write, .call, .addressOf]
  /// All that say how two symbols belong together, wherever one of them is used.
  package static let kinship: IndexRoles = [
    .childOf, .baseOf, .overrideOf, .receivedBy, .extendedBy, .accessorOf, .specializationOf,
  ]
}
