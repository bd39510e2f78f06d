import FirstlightDemangling
import Synchronization

/// Demangles names that could take much time, memory or stack: in a child process, which ends with the
/// first one that does.
package enum DoubtfulNames {
  /// Whether to demangle them in this very process: for one that has limits itself, may end by what it
  /// reads, and may make no child.
  package static var staysInProcess: Bool {
    get { inProcess.load(ordering: .relaxed) }
    set { inProcess.store(newValue, ordering: .relaxed) }
  }

  private static let inProcess = Atomic(false)

  /// Those of the names that have a text, by their places, rising.
  static func demangle(_ names: [String]) -> [(index: Int, text: String)] {
    // All bytes in a row, each name with a NUL behind it.
    var bytes: [CChar] = []
    var starts: [Int] = []
    for name in names {
      starts.append(bytes.count)
      for byte in name.utf8 { bytes.append(CChar(bitPattern: byte)) }
      bytes.append(0)
    }
    var found: [(index: Int, text: String)] = []
    bytes.withUnsafeBufferPointer { bytes in
      let mangled = names.indices.map { index in
        fl_mangled_name(
          bytes: bytes.baseAddress! + starts[index], count: names[index].utf8.count)
      }
      let demangle = staysInProcess ? fl_demangle_here : fl_demangle_apart
      // Called within the call only, so the array is there.
      withUnsafeMutablePointer(to: &found) { found in
        demangle(mangled, mangled.count, Demangler.demanglers, found) {
          context, index, text, size in
          let found = context!.assumingMemoryBound(to: [(index: Int, text: String)].self)
          let bytes = UnsafeRawBufferPointer(start: text, count: size)
          found.pointee.append((index, String(decoding: bytes, as: UTF8.self)))
        }
      }
    }
    return found
  }
}
