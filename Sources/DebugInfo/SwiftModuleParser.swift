/// Reads the outermost context from the front of a Swift mangled name
/// (docs/ABI/Mangling.rst of the Swift project).
struct SwiftModuleParser {
  /// What could follow the outermost type.
  enum Extending: Equatable {
    /// A member of the type.
    case nothing
    /// A member, or an extension by this module.
    case module(String)
    /// A member, or an extension by a module that the name abbreviates.
    case abbreviated
  }

  private let name: UnsafeBufferPointer<UInt8>
  private var position: Int
  /// The outermost type's name without its module's, as far as it isn't abbreviated.
  private(set) var typeName = ""
  private(set) var extending = Extending.nothing

  init(_ name: UnsafeBufferPointer<UInt8>) {
    self.name = name
    // Past `$s` or `_$s`.
    position = name.first == UInt8(ascii: "_") ? 3 : 2
  }

  /// The module of the outermost context; nil if the name starts with something else than one.
  mutating func module() -> String? {
    guard let first = peek() else { return nil }
    switch first {
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      // A declaration's name follows; anything else means this is the name of an associated type,
      // which only thunks between function types begin with.
      guard let module = identifier(), isDigit(peek()) else { return nil }
      readTypes()
      return module
    case UInt8(ascii: "s"):
      position += 1
      readTypes()
      return "Swift"
    case UInt8(ascii: "S"): return standardType()
    default: return nil
    }
  }

  /// `So`: imported from C. `Sc` and a letter: concurrency. `S` and a letter: the standard library.
  private mutating func standardType() -> String? {
    guard position + 2 < name.count else { return nil }
    let kind = name[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "o"), UInt8(ascii: "C"):
      readTypes()
      return kind == UInt8(ascii: "o") ? "__C" : "__C_Synthesized"
    case UInt8(ascii: "c"):
      guard let type = SwiftStandardTypes.concurrencyName(name[position]) else { return nil }
      position += 1
      typeName = type
    default:
      guard let type = SwiftStandardTypes.name(kind) else { return nil }
      typeName = type
    }
    readTypes()
    return "Swift"
  }

  /// Reads the names of the outermost type and of those nested in it, then what could be an
  /// extension's module: it comes after the extended type, and the operator E ends it.
  private mutating func readTypes() {
    var isAbbreviated = false
    while isDigit(peek()) {
      let start = position
      guard let type = identifier(), let kind = peek(),
        [UInt8(ascii: "V"), UInt8(ascii: "C"), UInt8(ascii: "O"), UInt8(ascii: "P")].contains(kind)
      else {
        position = start
        break
      }
      position += 1
      isAbbreviated = isAbbreviated || type.isEmpty
      if !isAbbreviated { typeName += typeName.isEmpty ? type : ".\(type)" }
    }
    guard let next = peek(), name[position...].contains(UInt8(ascii: "E")) else { return }
    if next == UInt8(ascii: "A") {
      extending = .abbreviated
    } else if isDigit(next), let module = identifier() {
      extending = module.isEmpty ? .abbreviated : .module(module)
    }
  }

  private func peek() -> UInt8? { position < name.count ? name[position] : nil }

  private func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Moves past an identifier. Gives the empty string if it takes words from earlier ones (`0` and
  /// letters) or is in Punycode (`00`); nil if it isn't an identifier.
  private mutating func identifier() -> String? {
    var isPlain = true
    var hasWords = false
    if peek() == UInt8(ascii: "0") {
      isPlain = false
      position += 1
      hasWords = peek() != UInt8(ascii: "0")
      if !hasWords { position += 1 }
    }
    repeat {
      while hasWords, let byte = peek(), !isDigit(byte) {
        position += 1
        if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
          hasWords = false
        } else if !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) {
          return nil
        }
      }
      if !isPlain, peek() == UInt8(ascii: "0") {
        position += 1
        return ""
      }
      guard let length = natural() else { return nil }
      // Punycode that would begin with a digit has `_` before it.
      if !isPlain, !hasWords, peek() == UInt8(ascii: "_") { position += 1 }
      guard length <= name.count - position else { return nil }
      let start = position
      position += length
      if isPlain {
        return String(
          decoding: UnsafeBufferPointer(rebasing: name[start..<position]), as: UTF8.self)
      }
    } while hasWords
    return ""
  }

  private mutating func natural() -> Int? {
    var value = 0
    let start = position
    while let digit = peek(), isDigit(digit) {
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
      position += 1
      guard value < 100_000 else { return nil }
    }
    return position > start ? value : nil
  }
}
