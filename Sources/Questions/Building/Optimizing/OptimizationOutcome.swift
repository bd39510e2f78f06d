import FirstlightModel
import SystemSupport

/// A finished optimization, with the results to keep.
package struct OptimizationOutcome {
  let optimization: Optimization
  let recipe: BuildRecipe
  let results: ResultDirectory
  let optIns: [OptInOptimization]
  /// The linker's flags, which name the final files.
  let linkerWords: [String]

  /// Replaces the results of an earlier call.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput`.
  package func publish() throws(Failure) {
    try ResultFile.write(
      recipe.file(linking: linkerWords), to: flags(among: results.unfinished))
    try ResultFile.write(text(), to: results.unfinished.report("txt"))
    try results.publish()
  }

  /// The steps, the gain and the next commands.
  package func text(_ style: TextStyle = .plain) -> String {
    optimization.document(
      applied: optIns.map { .init(name: $0.rawValue, gain: $0.gain, price: $0.price) },
      files: files,
      check: (["firstlight", "verify", results.files.order, results.files.after]
        + (optimization.verification.movable == nil ? [] : ["--map", results.map]))
        .map(Escaping.shellWord).joined(separator: " "),
      command: command
    ).text(style)
  }

  /// The user's build command with the file of flags. Only a command of one `swift build` surely reads the file
  /// from the directory in which the user works.
  private var command: String {
    let files = recipe.isPlainSwiftPM ? results.shown : results.files
    return recipe.command(for: .keeping(file: flags(among: files)))
  }

  private func flags(among files: ResultFiles) -> String {
    recipe.isSwiftPM ? files.toolset : files.flags
  }

  private var files: [(label: String, text: String)] {
    let made = results.files
    return [
      ("new program", made.after), ("profile", made.profile), ("order", made.order),
      (recipe.isSwiftPM ? "toolset" : "response file", flags(among: made)),
      ("page maps", made.report("html")),
    ]
  }
}
