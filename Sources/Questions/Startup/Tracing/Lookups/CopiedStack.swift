import DebugInfo
import FirstlightModel
import SystemSupport

/// The inner part of a thread's stack, as it was when a function was called.
struct CopiedStack {
  /// The return address.
  var address: UInt64
  /// The caller's stack pointer, where the copy begins.
  var start: UInt64
  /// The caller's frame pointer.
  var frame: UInt64
  var bytes: [UInt8]

  func word(_ address: UInt64) -> UInt64? {
    let place = address &- start
    guard place < UInt64(bytes.count), bytes.count - Int(place) >= 8 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Int(place), as: UInt64.self) }
  }
}

/// Finds the return addresses in copied stacks of one process.
final class StackWalker {
  /// A file with code.
  final class File {
    let path: String
    let image: DebugImage
    /// Run-time minus link-time addresses.
    let bias: UInt64
    let frames: CallFrames?

    fileprivate init?(_ path: String, start: UInt64) {
      guard let image = try? DebugImage(path: path) else { return nil }
      self.path = path
      self.image = image
      // Both are multiples of the page size, up to the first segment's place in its page.
      bias = start &- (image.elf.loadedRange.lowerBound & ~0xfff)
      frames = CallFrames(image)
    }
  }

  private let mappings: [ProcessMapping]
  private var files: [TextBytes: File?] = [:]
  private static let deepest = 128

  init(_ mappings: [ProcessMapping]) { self.mappings = mappings }

  /// The return addresses with their files, innermost first; as far as the copy and call frame information go.
  func addresses(_ stack: CopiedStack) -> [(file: File, address: UInt64)] {
    var found: [(File, UInt64)] = []
    var position = CallFrames.Position(
      address: stack.address, stack: stack.start, frame: stack.frame)
    while found.count < Self.deepest, let file = file(at: position.address) {
      // A return address is after its call, perhaps in the next line or function.
      let address = position.address &- file.bias &- 1
      found.append((file, address))
      var inner = position
      inner.address = address
      guard let outer = file.frames?.caller(of: inner, load: stack.word) else { break }
      position = outer
    }
    return found
  }

  private func file(at address: UInt64) -> File? {
    guard let mapping = mappings.first(where: { $0.range.contains(address) }) else { return nil }
    if let known = files[mapping.path] { return known }
    let start = mappings.first { $0.path == mapping.path }!.range.lowerBound
    let file = File(mapping.path, start: start)
    files[mapping.path] = .some(file)
    return file
  }
}

/// Finds the callers with source lines in the stacks of look-ups: code of the program's own build, because
/// the Swift toolchain's libraries come without debug information. Other libraries may have some.
struct LookupCallers {
  private struct Place: Hashable {
    var path: String
    var address: UInt64
  }

  /// A caller for each stack; nil: no frame has a line.
  static func callers(
    _ stacks: [CopiedStack], mappings: [ProcessMapping]
  ) -> [ConformanceLookups.Caller?] {
    let walker = StackWalker(mappings)
    var addresses: [TextBytes: (file: StackWalker.File, list: Set<UInt64>)] = [:]
    let walked = stacks.map { stack in
      walker.addresses(stack).compactMap { file, address -> Place? in
        guard file.image.hasDebugInfo, file.image.elf.hasSwiftCode else { return nil }
        addresses[file.path, default: (file, [])].list.insert(address)
        return Place(path: file.path, address: address)
      }
    }
    var callers: [Place: [ConformanceLookups.Caller]] = [:]
    for (path, (file, list)) in addresses {
      let list = Array(list)
      let table = file.image.source.frames(at: list, inlines: true)
      for (index, address) in list.enumerated() {
        callers[Place(path: path.text, address: address)] = table.frames(at: index).compactMap(
          caller)
      }
    }
    return walked.map { chosen($0.lazy.flatMap { callers[$0] ?? [] }) }
  }

  /// The innermost caller; one of the package itself is preferred to one of a package it depends on.
  private static func chosen(
    _ frames: some Sequence<ConformanceLookups.Caller>
  ) -> ConformanceLookups.Caller? {
    var first: ConformanceLookups.Caller?
    for frame in frames {
      if !frame.file.containsUTF8(".build/checkouts/") { return frame }
      if first == nil { first = frame }
    }
    return first
  }

  private static func caller(_ frame: Frame) -> ConformanceLookups.Caller? {
    guard let place = frame.location, place.line > 0, !place.file.begins(with: "<"),
      !place.file.ends(with: "/<compiler-generated>")
    else { return nil }
    return ConformanceLookups.Caller(
      function: Demangler.demangle(frame.function), file: place.file, line: place.line)
  }
}
