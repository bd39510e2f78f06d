import FirstlightModel

/// Finds functions of a build by address, name, and place in the source.
package struct FunctionPlaces {
  private var byName: [String: [Int]] = [:]
  private var byLine: [String: [Int]] = [:]
  /// Entry address, end and guard, by address.
  private var byAddress: [(start: UInt64, end: UInt64, index: Int)] = []

  package init(_ build: Build) {
    for (function, entryGuard) in zip(build.functions, build.entryGuards) {
      let index = Int(entryGuard)
      for name in [function.name, function.demangledName] + function.aliases where !name.isEmpty {
        byName[name, default: []].append(index)
      }
      if let file = function.file, function.line > 0 {
        byLine["\(file):\(function.line)", default: []].append(index)
      }
      if let address = function.address {
        byAddress.append((address, address + max(function.size, 1), index))
      }
    }
    byAddress.sort { $0.start < $1.start }
  }

  /// The guard of the function whose code holds a link-time address.
  package func guardIndex(at address: UInt64) -> Int? {
    let next = byAddress.partitioningIndex { $0.start > address }
    guard next > 0, address <= byAddress[next - 1].end else { return nil }
    return byAddress[next - 1].index
  }

  /// Guards of the functions of a name, and by its place where the name is unknown.
  package func guards(name: String, file: String, line: Int) -> [Int] {
    // Names local to a file have it before them in what LLVM writes.
    let plain = name.split(separator: ";").last.map(String.init) ?? name
    return byName[name] ?? byName[plain] ?? byName[afterLastColon(plain)]
      ?? byLine["\(file):\(line)"] ?? []
  }

  private func afterLastColon(_ name: String) -> String {
    name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
