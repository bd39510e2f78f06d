import FirstlightModel

/// The images of a program in the loader's look-up order, and their dependencies.
package struct LibraryGraph: Sendable {
  /// One image with its dependencies.
  package struct Node: Sendable {
    /// The needed name; for the binary itself, its path.
    package var name: String
    /// Its real path.
    package var path: String
    package var facts: BinaryFacts
    /// Needed images: indices into `nodes`.
    package var needs: [Int] = []
    /// Names of needed images that were not found.
    package var missing: [String] = []
    /// Whether the program loaded it while running (dlopen), or such a library needed it.
    package var isLoadedLater: Bool

    package init(name: String, path: String, facts: BinaryFacts, isLoadedLater: Bool) {
      self.name = name
      self.path = path
      self.facts = facts
      self.isLoadedLater = isLoadedLater
    }
  }

  /// The binary first, then breadth first, as in the loader; then images that were loaded later.
  package var nodes: [Node]

  package init(nodes: [Node]) {
    self.nodes = nodes
  }

  /// For each image the images that need it, in load order.
  package var neededBy: [[Int]] {
    var result = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for need in node.needs where result[need].last != index { result[need].append(index) }
    }
    return result
  }

  /// The library itself, and those that are reachable only through it.
  package func goneWithout(_ index: Int) -> [Int] {
    var reached: Set<Int> = [0]
    // Libraries that the program loads itself stay.
    reached.formUnion(nodes.indices.filter { nodes[$0].isLoadedLater })
    reached.remove(index)
    var open = Array(reached)
    while let image = open.popLast() {
      for need in nodes[image].needs where need != index && reached.insert(need).inserted {
        open.append(need)
      }
    }
    return nodes.indices.filter { !reached.contains($0) }
  }
}

/// The recorded use of one image.
package struct LibraryRun: Hashable, Sendable {
  /// Whether its functions were recorded; otherwise their use is unknown.
  package var isWatched = false
  /// Number of called functions, including initializers.
  package var functions = 0
  /// 4 KiB pages of code with these functions.
  package var codePages = 0
  /// Seconds from the start to the first call of one of its functions, except initializers and
  /// their callees; nil if there was none.
  package var firstUse: Double?
  /// Seconds that the loader took to map and relocate it; nil if not recorded.
  package var mapping: Double?
  package var relocating: Double?
  /// Seconds in its initializers, including callees; nil if not recorded.
  package var initializing: Double?

  package init() {}

  /// Sum of the recorded times, seconds.
  package var time: Double? {
    let parts = [mapping, relocating, initializing].compactMap { $0 }
    return parts.isEmpty ? nil : parts.reduce(0, +)
  }
}

/// Libraries of the system or of a language's runtime, by file name. A process must have one copy
/// of each from its start: partial or late linking makes programs crash.
package enum RuntimeLibrary: Sendable {
  /// The C library and the loader, which depend on each other.
  case system
  /// Parts of the C library or of a compiler: threads, exceptions, locks.
  case companion
  /// Swift's libraries, which its compiler links itself, either all as shared libraries or all statically.
  case swift

  package init?(_ file: String) {
    let stem = file.firstRange(ofUTF8: ".so").map { String(file[..<$0.lowerBound]) } ?? file
    func begins(_ starts: String...) -> Bool { starts.contains { stem.begins(with: $0) } }
    if ["libc", "ld", "ld64"].contains(stem) || begins("ld-", "libc.musl") {
      self = .system
    } else if Self.companions.contains(stem) || begins("libnss_", "libclang_rt") {
      self = .companion
    } else if begins("libswift", "libFoundation", "lib_Foundation", "lib_Testing")
      || ["libdispatch", "libBlocksRuntime", "libTesting", "libXCTest"].contains(stem)
    {
      self = .swift
    } else {
      return nil
    }
  }

  private static let companions: Set<TextBytes> = [
    "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libnsl",
    "libthread_db", "libBrokenLocale", "libgcc_s", "libstdc++", "libc++", "libc++abi", "libunwind",
    "libatomic", "libgomp", "libomp", "libgfortran", "libquadmath", "libobjc", "libasan", "liblsan",
    "libtsan", "libubsan", "libhwasan",
  ]
}
