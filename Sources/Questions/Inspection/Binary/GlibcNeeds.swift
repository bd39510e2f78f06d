import FirstlightModel

/// The oldest GNU C library that starts a program: the loader refuses a program that needs a newer version than
/// its own. The program's libraries have needs of their own.
package struct GlibcNeeds: Hashable, Sendable {
  package var version: GlibcVersion
  /// The reasons for the version: names of symbols, in order, or packed relocations.
  package var reasons: [String]
  /// The version that the program would need if its relocations were not packed.
  package var unpacked: GlibcVersion

  /// Nil if the program needs no version of glibc: it is static, or made for another C library.
  package init?(_ facts: BinaryFacts) {
    var needs: [GlibcVersion: [String]] = [:]
    for reference in facts.dynamic.references where reference.version.begins(with: "GLIBC_") {
      guard let version = GlibcVersion(reference.version.dropFirst(6)) else { continue }
      needs[version, default: []].append(reference.name)
    }
    guard let highest = needs.keys.max() else { return nil }
    unpacked = highest
    if facts.dynamic.hasPackedRelocations {
      needs[.packedRelocations, default: []].append("packed relocations")
    }
    version = needs.keys.max() ?? highest
    reasons = needs[version, default: []].sorted()
  }

  /// Throws if a target lacks the version that the program needs.
  ///
  /// - Parameters:
  ///   - target: the version where the program is to run.
  ///   - path: the program's path, for the message.
  package func check(on target: GlibcVersion, path: String) throws(Failure) {
    guard version > target else { return }
    let others = reasons.count > 3 ? " and \(reasons.count - 3) more" : ""
    throw Failure(
      .data,
      "\(path): needs glibc \(version) (for \(reasons.prefix(3).joined(separator: ", "))\(others)), and "
        + "the target has \(target)",
      advice: "build it where glibc is \(target) or older, as in a container of the target's system"
    )
  }
}
