import FirstlightIndexStore
import FirstlightModel
import Glibc
import SystemSupport

/// The libIndexStore of a Swift toolchain. Never unloaded.
package struct IndexStoreLibrary: @unchecked Sendable {
  /// The library's functions, which stay loaded until the process ends.
  let functions: fl_index_library

  /// Loads the library of the toolchain on PATH, or of another installed one.
  package init() throws(Failure) {
    var why = ""
    for path in Self.candidates() where !path.containsUTF8("/") || access(path, R_OK) == 0 {
      do {
        self = try IndexStoreLibrary(path)
        return
      } catch {
        if path.containsUTF8("/") || why.isEmpty { why = error.problem }
      }
    }
    throw Failure(.unavailable, why, advice: "put a Swift toolchain's bin folder on PATH")
  }

  /// Loads a library.
  package init(_ path: String) throws(Failure) {
    var why = [CChar](repeating: 0, count: Int(FL_INDEX_WHY))
    guard let functions = fl_index_open(path, &why) else {
      let words = why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Failure(.unavailable, String(decoding: words, as: UTF8.self))
    }
    self.functions = functions.pointee
  }

  private static let name = "libIndexStore.so"

  /// Possible paths of the library, and last its bare name for the loader.
  private static func candidates() -> [String] {
    var candidates: [String] = []
    for program in ["swiftc", "swift"] {
      guard let found = try? ProgramPath.find(program), let real = AbsolutePath.resolved(found),
        let folder = AbsolutePath.folder(of: real)
      else { continue }
      candidates.append("\(folder)/../lib/\(name)")
    }
    // With swiftly, the programs on PATH are links to swiftly itself.
    var homes = getenv("SWIFTLY_TOOLCHAINS_DIR").map { [String(cString: $0)] } ?? []
    if let home = getenv("HOME") {
      homes.append(String(cString: home) + "/.local/share/swiftly/toolchains")
    }
    for home in homes {
      let versions = (try? DirectoryListing.names(in: home)) ?? []
      candidates += versions.sorted(by: >).map { "\(home)/\($0)/usr/lib/\(name)" }
    }
    return candidates + [name]
  }
}

extension ix_text {
  /// Valid as long as the owning object; for a dependency, only within its callback.
  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: size) }
  var string: String { String(decoding: buffer, as: UTF8.self) }
}
