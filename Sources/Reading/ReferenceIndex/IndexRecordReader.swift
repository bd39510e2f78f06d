import FirstlightIndexStore

/// Adds records to an index; a record holds a compiler's data about one file.
final class IndexRecordReader {
  private let library: fl_index_library
  private let store: ix_object
  private var builder = ReferenceIndexBuilder()
  /// The record's file.
  private var file = 0
  /// Numbers in the index by symbol of the record; -1 for symbols that are irrelevant to references.
  private var symbols: [ix_object: Int] = [:]
  private var isDamaged = false
  /// The symbol of the current occurrence, and the container from its relations.
  private var symbol = -1
  private var container = -1
  private var isKinship = false

  /// - Parameter store: must outlive this object.
  init(_ store: ix_object, _ library: fl_index_library) {
    self.store = store
    self.library = library
  }

  /// The reason why a record could not be read, for the user.
  struct Problem: Error {
    var text: String
  }

  /// Passes the builder to `body`.
  func build<Result>(_ body: (inout ReferenceIndexBuilder) -> Result) -> Result { body(&builder) }

  /// The index from all records so far.
  func finish() -> ReferenceIndex { exchange(&builder, with: ReferenceIndexBuilder()).build() }

  func read(_ name: String, file: Int) throws(Problem) {
    var error: ix_object?
    guard let record = library.record_reader_create(store, name, &error) else {
      throw Problem(text: library.description(error) ?? "unreadable")
    }
    defer { library.record_reader_dispose(record) }
    self.file = file
    isDamaged = false
    symbols.removeAll(keepingCapacity: true)
    let (references, relations) = (builder.referenceCount, builder.relationCount)
    let context = Unmanaged.passUnretained(self).toOpaque()
    // The library caches the symbols, so that occurrences refer to them by the same addresses.
    let hasSymbols = library.record_reader_symbols_apply_f(record, false, context) {
      IndexRecordReader.of($0).add(symbol: $1!)
    }
    // This call fails for a file without symbols.
    let hasOccurrences = library.record_reader_occurrences_apply_f(record, context) {
      IndexRecordReader.of($0).add(occurrence: $1!)
    }
    guard hasSymbols, hasOccurrences || symbols.isEmpty, !isDamaged else {
      throw Problem(text: "damaged")
    }
    builder.fold(referencesFrom: references, relationsFrom: relations)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> IndexRecordReader {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  private func add(symbol: ix_object) -> Bool {
    guard symbols[symbol] == nil else { return true }
    let traits = IndexSymbolTraits(
      kind: UInt32(bitPattern: library.symbol_get_kind(symbol)),
      language: UInt32(bitPattern: library.symbol_get_language(symbol)),
      properties: UInt32(truncatingIfNeeded: library.symbol_get_properties(symbol)))
    if traits.kind.isIrrelevant {
      symbols[symbol] = -1
      return true
    }
    let number = builder.symbol(
      usr: library.symbol_get_usr(symbol).buffer, name: library.symbol_get_name(symbol).buffer,
      traits)
    symbols[symbol] = number
    isDamaged = number == nil
    return !isDamaged
  }

  private func number(of symbol: ix_object?) -> Int? {
    let number = symbol.flatMap { symbols[$0] }
    if number == nil { isDamaged = true }
    return number
  }

  private func add(occurrence: ix_object) -> Bool {
    guard let symbol = number(of: library.occurrence_get_symbol(occurrence)) else { return false }
    (self.symbol, container, isKinship) = (symbol, -1, false)
    _ = library.occurrence_relations_apply_f(
      occurrence, Unmanaged.passUnretained(self).toOpaque()
    ) { IndexRecordReader.of($0).add(relation: $1!) }
    guard symbol >= 0, !isDamaged else { return !isDamaged }
    let roles = IndexRoles(
      rawValue: UInt32(truncatingIfNeeded: library.occurrence_get_roles(occurrence)))
    var (number, column): (UInt32, UInt32) = (0, 0)
    library.occurrence_get_line_col(occurrence, &number, &column)
    let line = Int(number)
    if roles.contains(.definition) {
      builder.define(symbol, file: file, line: line)
    } else if roles.contains(.declaration) {
      builder.define(symbol, file: file, line: line, isDeclaration: true)
    } else if !roles.isDisjoint(with: .uses), !(isKinship && roles.contains(.implicit)) {
      // Skips the compiler's references from a conformance to members that meet its requirements.
      builder.refer(
        to: symbol, from: container < 0 ? nil : container, file: file, line: line, roles)
    }
    return true
  }

  private func add(relation: ix_object) -> Bool {
    guard let other = number(of: library.symbol_relation_get_symbol(relation)) else { return false }
    let roles = IndexRoles(
      rawValue: UInt32(truncatingIfNeeded: library.symbol_relation_get_roles(relation)))
    guard symbol >= 0, other >= 0 else { return true }
    if roles.contains(.containedBy) || container < 0 && roles.contains(.calledBy) {
      container = other
    }
    let kinship = roles.intersection(.kinship)
    if !kinship.isEmpty {
      builder.relate(symbol, kinship, other)
      isKinship = isKinship || kinship.contains(.overrideOf)
    }
    return true
  }
}

extension fl_index_library {
  /// The message of a library error; releases the error.
  func description(_ error: ix_object?) -> String? {
    guard let error else { return nil }
    defer { error_dispose(error) }
    return error_get_description(error).map { String(cString: $0) }
  }
}
