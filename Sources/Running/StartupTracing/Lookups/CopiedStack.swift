import DebugInfo
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
      bias = start &- (image.loadedRange.lowerBound & ~0xfff)
      frames = CallFrames(image)
    }
  }

  private let mappings: [ProcessMapping]
  private var files: [String: File?] = [:]
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
