/// The sections and symbols that the bytes of a binary file belong to: the input of a size report.
package struct BinaryContents: Sendable {
  /// The bytes of one symbol. Symbols do not overlap: aliases are one, and a symbol within another one is part
  /// of it.
  package struct Item: Sendable {
    /// The linker's name, the first of all names of the address.
    package var name: String
    package var isCode: Bool
    /// Link-time address.
    package var address: UInt64
    /// Bytes in the file.
    package var size: UInt64
    /// Index into `sections`.
    package var section: Int
    /// The source file that declares a function; nil if unknown, and for data.
    package var file: String?

    package init(
      name: String, isCode: Bool, address: UInt64, size: UInt64, section: Int, file: String? = nil
    ) {
      self.name = name
      self.isCode = isCode
      self.address = address
      self.size = size
      self.section = section
      self.file = file
    }
  }

  /// A direct call or jump between functions.
  package struct Call: Hashable, Sendable {
    /// Indices into `items`.
    package var from: Int
    package var to: Int

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  package var path: String
  package var fileSize: UInt64
  /// The sections with bytes in the file.
  package var sections: [BinarySection]
  /// By address.
  package var items: [Item]
  /// Without duplicates. Calls through pointers and tables are not among them.
  package var calls: [Call]
  /// Whether file-local names are known too.
  package var hasLocalSymbols: Bool

  package init(
    path: String, fileSize: UInt64, sections: [BinarySection], items: [Item], calls: [Call],
    hasLocalSymbols: Bool
  ) {
    self.path = path
    self.fileSize = fileSize
    self.sections = sections
    self.items = items
    self.calls = calls
    self.hasLocalSymbols = hasLocalSymbols
  }
}
