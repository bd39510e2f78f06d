import DebugInfo
import SystemSupport

/// Reads the names of Swift types and protocols from the memory of a process.
///
/// The layout of metadata and descriptors is part of Swift's ABI on Linux (docs/ABI/TypeMetadata.rst of
/// Swift). What cannot be read has the name "?".
struct SwiftTypeNames {
  let memory: ProcessMemory
  private var types: [UInt64: String] = [:]
  private var contexts: [UInt64: String] = [:]

  init(_ memory: ProcessMemory) { self.memory = memory }

  /// Types within types are named up to this depth.
  private static let deepest = 4

  /// The name of a protocol with its module, as of other declarations.
  mutating func protocolName(_ descriptor: UInt64) -> String { contextName(descriptor) ?? "?" }

  /// - Parameter metadata: the address of a type's metadata.
  mutating func typeName(_ metadata: UInt64, depth: Int = 0) -> String {
    if let known = types[metadata] { return known }
    guard depth < Self.deepest else { return "..." }
    let name = newTypeName(metadata, depth: depth) ?? "?"
    // A name from a deeper level lacks more types, so it is not kept.
    if depth == 0 { types[metadata] = name }
    return name
  }

  private mutating func newTypeName(_ metadata: UInt64, depth: Int) -> String? {
    guard let kind = word(metadata) else { return nil }
    switch kind {
    case 0, 0x800...: return word(metadata + 40).flatMap { contextName($0) }
    case 0x200...0x202:
      return word(metadata + 8).flatMap {
        nominalName($0, arguments: metadata + 16, depth: depth)
      }
    case 0x203, 0x204: return word(metadata + 8).flatMap { contextName($0) }
    case 0x301: return tupleName(metadata, depth: depth)
    case 0x302: return "a function"
    case 0x303: return existentialName(metadata)
    case 0x304, 0x306:
      return word(metadata + 8).map { typeName($0, depth: depth + 1) + ".Type" }
    default: return nil
    }
  }

  /// The name of a struct or enum, with the types that are its generic arguments.
  private mutating func nominalName(
    _ descriptor: UInt64, arguments: UInt64, depth: Int
  ) -> String? {
    let (isGeneric, headerSize): (UInt32, UInt64) = (0x80, 28)
    guard let name = contextName(descriptor), let flags = half(descriptor) else { return nil }
    guard flags & isGeneric != 0 else { return name }
    // The header: two offsets, then the number of parameters; each parameter is a byte.
    let header = descriptor + headerSize
    guard let count = memory.load(header + 8, as: UInt16.self), count <= 16 else { return name }
    var list: [String] = []
    for index in 0..<UInt64(count) {
      let (hasArgument, isType): (UInt8, UInt8) = (0x80, 0x80)
      guard let parameter = memory.load(header + 16 + index, as: UInt8.self) else { return name }
      // A parameter that the context determines has no argument.
      if parameter & hasArgument == 0 { continue }
      guard parameter == isType, let argument = word(arguments + 8 * UInt64(list.count))
      else { return name + "<...>" }
      list.append(typeName(argument, depth: depth + 1))
    }
    return list.isEmpty ? name : "\(name)<\(list.joined(separator: ", "))>"
  }

  private mutating func tupleName(_ metadata: UInt64, depth: Int) -> String? {
    guard let count = word(metadata + 8), count <= 16 else { return "a tuple" }
    var list: [String] = []
    for index in 0..<count {
      guard let element = word(metadata + 24 + 16 * index) else { return nil }
      list.append(typeName(element, depth: depth + 1))
    }
    return "(\(list.joined(separator: ", ")))"
  }

  private mutating func existentialName(_ metadata: UInt64) -> String? {
    let hasSuperclass: UInt32 = 0x4000_0000
    guard let flags = half(metadata + 8), let count = half(metadata + 12), count <= 16 else {
      return nil
    }
    if count == 0 { return "Any" }
    let first = metadata + 16 + (flags & hasSuperclass != 0 ? 8 : 0)
    let names = (0..<UInt64(count)).map { index in
      word(first + 8 * index).map { protocolName($0) } ?? "?"
    }
    return "any " + names.joined(separator: " & ")
  }

  /// The name of a type's, protocol's or module's descriptor, below the names of its contexts.
  private mutating func contextName(_ descriptor: UInt64, depth: Int = 0) -> String? {
    if let known = contexts[descriptor] { return known }
    guard depth < 32, let flags = half(descriptor) else { return nil }
    let outer = relative(descriptor + 4, mayBeIndirect: true).flatMap {
      contextName($0, depth: depth + 1)
    }
    let name: String?
    switch flags & 0x1f {
    case 0, 3, 16, 17, 18:
      let own = relative(descriptor + 8).flatMap { memory.string($0) }
        .map { String(decoding: $0, as: UTF8.self) }
      name = own.map { own in outer.map { "\($0).\(own)" } ?? own }
    case 1: name = relative(descriptor + 8).flatMap { extendedName($0, depth: depth + 1) } ?? outer
    default: name = outer
    }
    contexts[descriptor] = name
    return name
  }

  /// The name of an extended type: a mangled name, or a reference to its descriptor.
  private mutating func extendedName(_ mangled: UInt64, depth: Int) -> String? {
    switch memory.load(mangled, as: UInt8.self) {
    case 1: relative(mangled + 1).flatMap { contextName($0, depth: depth) }
    case 2: relative(mangled + 1).flatMap { word($0) }.flatMap { contextName($0, depth: depth) }
    default:
      memory.string(mangled).map {
        Demangler.demangle("$s" + String(decoding: $0, as: UTF8.self) + "D")
      }
    }
  }

  /// The target of an offset from its own place. If `mayBeIndirect`, an odd offset leads to the target's address.
  private func relative(_ place: UInt64, mayBeIndirect: Bool = false) -> UInt64? {
    guard let offset = memory.load(place, as: Int32.self), offset != 0 else { return nil }
    guard mayBeIndirect, offset & 1 != 0 else {
      return place &+ UInt64(bitPattern: Int64(offset))
    }
    return word(place &+ UInt64(bitPattern: Int64(offset & ~1)))
  }

  private func word(_ address: UInt64) -> UInt64? { memory.load(address, as: UInt64.self) }
  private func half(_ address: UInt64) -> UInt32? { memory.load(address, as: UInt32.self) }
}
