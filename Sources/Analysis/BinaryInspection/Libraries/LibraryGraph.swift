import FirstlightModel

/// The images of a program in the order in which the loader looks symbols up, and who needs whom.
package struct LibraryGraph: Sendable {
  /// One image, and how it came to be there.
  package struct Node: Sendable {
    /// As it is needed; of the binary itself, its path.
    package var name: String
    /// Its real path.
    package var path: String
    package var facts: BinaryFacts
    /// What it needs: indices into `nodes`.
    package var needs: [Int] = []
    /// What it needs and nothing was found of, by name.
    package var missing: [String] = []
    /// Loaded by the program itself while it ran (dlopen), or for such a library.
    package var isLoadedLater: Bool

    package init(name: String, path: String, facts: BinaryFacts, isLoadedLater: Bool) {
      self.name = name
      self.path = path
      self.facts = facts
      self.isLoadedLater = isLoadedLater
    }
  }

  /// The binary first, then breadth first, as the loader does; then what was loaded later.
  package var nodes: [Node]

  package init(nodes: [Node]) {
    self.nodes = nodes
  }

  /// For each image which others need it, in load order.
  package var neededBy: [[Int]] {
    var result = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for need in node.needs where result[need].last != index { result[need].append(index) }
    }
    return result
  }

  /// Libraries that would no longer be there without this one: it, and what only it leads to.
  package func goneWithout(_ index: Int) -> [Int] {
    var reached: Set<Int> = [0]
    // What the program loads itself stays.
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

/// What a recorded run showed of one image.
package struct LibraryRun: Hashable, Sendable {
  /// Whether its functions were watched; else nothing is known of its use.
  package var isWatched = false
  /// Functions called, initializers included.
  package var functions = 0
  /// 4 KiB pages of code that these functions lie on.
  package var codePages = 0
  /// Seconds from the start to the first call of a function of its own, initializers and what they
  /// call apart; nil: none was called.
  package var firstUse: Double?
  /// Seconds that the loader mapped it and relocated it; nil: not recorded.
  package var mapping: Double?
  package var relocating: Double?
  /// Seconds that its initializers took, what they called included; nil: not recorded.
  package var initializing: Double?

  package init() {}

  /// Seconds in all, of what was recorded.
  package var time: Double? {
    let parts = [mapping, relocating, initializing].compactMap { $0 }
    return parts.isEmpty ? nil : parts.reduce(0, +)
  }
}

/// Libraries of the system or of a language's runtime, by file name. A process has one copy of each,
/// from its start: linking one in part, or late, gives programs that crash.
package enum RuntimeLibrary: Sendable {
  /// The C library and the loader, which are parts of one another.
  case system
  /// What belongs to the C library or to a compiler: threads, exceptions, locks.
  case companion
  /// Swift's, which its compiler links by itself, all as libraries or all statically.
  case swift

  package init?(_ file: String) {
    let stem = file.firstRange(of: ".so").map { String(file[..<$0.lowerBound]) } ?? file
    func begins(_ starts: String...) -> Bool { starts.contains { stem.hasPrefix($0) } }
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

  private static let companions: Set<String> = [
    "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libnsl",
    "libthread_db", "libBrokenLocale", "libgcc_s", "libstdc++", "libc++", "libc++abi", "libunwind",
    "libatomic", "libgomp", "libomp", "libgfortran", "libquadmath", "libobjc", "libasan", "liblsan",
    "libtsan", "libubsan", "libhwasan",
  ]
}
