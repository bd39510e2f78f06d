import FirstlightModel

/// Why there is nothing to say of a profile's functions.
package enum EmptyListText {
  /// - Parameter profile: one of whose functions none was chosen.
  package static func failure(_ profile: Profile) -> Failure {
    let modules = Set(
      profile.builds.flatMap { recorded in
        recorded.build.functions.map { $0.moduleName(in: recorded.build) }
      }
    ).sorted()
    if modules.isEmpty {
      return Failure(
        .data, "the profile contains no functions",
        advice: "build with the flags that firstlight flags prints, or record with --no-rebuild")
    }
    return Failure(
      .data, "no function matches --module, --path and --exclude",
      advice: "recorded modules: \(modules.prefix(12).joined(separator: ", "))"
        + (modules.count > 12 ? ", ..." : ""))
  }
}
