/// Reads the outermost context from the front of a Swift mangled name
/// (docs/ABI/Mangling.rst of the Swift project).
struct SwiftModuleParser {
  private let name: UnsafeBufferPointer<UInt8>
  private var position: Int
  /// The outermost type's own name, with the dot's right-hand side only; empty if there is none.
  private(set) var typeName = ""
  /// Whether an extension's module could follow the type.
  private(set) var mayBeExtension = false

  init(_ name: UnsafeBufferPointer<UInt8>) {
    self.name = name
    position = name.first == 0x5f ? 1 : 0
    position += name.dropFirst(position).first == 0x54 ? 2 : 2
  }

  /// The module of the outermost context; nil if the name starts with something else than one.
  mutating func module() -> String? {
    guard let first = peek() else { return nil }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let module = identifier() else { return nil }
      readType()
      return module
    case UInt8(ascii: "s"):
      position += 1
      readType()
      return "Swift"
    case UInt8(ascii: "S"):
      return standardType()
    default: return nil
    }
  }

  /// `So`: imported from C. `Sc` and a letter: concurrency. `S` and a letter: the standard library.
  private mutating func standardType() -> String? {
    guard position + 1 < name.count else { return nil }
    let kind = name[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "o"):
      readType()
      return "__C"
    case UInt8(ascii: "C"):
      readType()
      return "__C_Synthesized"
    case UInt8(ascii: "c"):
      position += 1
      mayBeExtension = true
      return "Swift"
    default:
      guard
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(kind)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(kind)
      else { return nil }
      mayBeExtension = true
      return "Swift"
    }
  }

  /// Reads the name of the outermost type, if one follows.
  private mutating func readType() {
    guard let first = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      let type = identifier(), let kind = peek(),
      kind == UInt8(ascii: "V") || kind == UInt8(ascii: "C") || kind == UInt8(ascii: "O")
        || kind == UInt8(ascii: "P") || kind == UInt8(ascii: "a")
    else { return }
    position += 1
    typeName = type
    mayBeExtension = name[position...].contains(UInt8(ascii: "E"))
  }

  private func peek() -> UInt8? { position < name.count ? name[position] : nil }

  /// A length and that many bytes. Identifiers with word substitutions or in Punycode begin with 0;
  /// the first can't have the former, and for the rest the demangled text is searched instead.
  private mutating func identifier() -> String? {
    var length = 0
    let start = position
    while let digit = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
      length = length &* 10 &+ Int(digit &- UInt8(ascii: "0"))
      position += 1
      guard length < 100_000 else { return nil }
    }
    guard length > 0, name[start] != UInt8(ascii: "0"), length <= name.count - position else {
      return nil
    }
    defer { position += length }
    return String(
      decoding: UnsafeBufferPointer(rebasing: name[position..<(position + length)]), as: UTF8.self)
  }
}
