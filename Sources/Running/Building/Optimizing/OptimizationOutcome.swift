import FirstlightModel
import ReportFormats
import SymbolOrdering
import SystemSupport

/// A finished optimization, with the results to keep.
package struct OptimizationOutcome {
  let optimization: Optimization
  let recipe: BuildRecipe
  let results: ResultDirectory
  let optIns: [OptInOptimization]

  /// Replaces the results of an earlier call.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput`.
  package func publish() throws(Failure) {
    let flags = recipe.linkingFlags(linkerWords).map(ShellText.quoted).joined(separator: " ")
    try ResultFile.write(flags + "\n", to: results.unfinished.flags)
    try ResultFile.write(text(isColoured: false), to: results.unfinished.report("txt"))
    try results.publish()
  }

  /// The steps, the gain and the next commands.
  package func text(isColoured: Bool) -> String {
    OptimizationText.text(
      optimization, kept: kept, base: recipe.sectionFlags, files: files,
      check: ["firstlight", "verify", results.files.order, results.files.after]
        .map(ShellText.quoted).joined(separator: " "),
      command: recipe.command(for: .linked(with: linkerWords)), isColoured: isColoured)
  }

  private var orderWord: String { LinkRecipe.linking(inOrder: results.files.order) }

  private var linkerWords: [String] {
    var words = [orderWord]
    if optimization.isPacked { words.append(LinkRecipe.packing) }
    if optimization.prefetch != nil { words.append(results.files.prefetch) }
    words += conformanceWords
    return words + optIns.flatMap(\.linkerWords)
  }

  private var conformanceWords: [String] {
    optimization.conformances?.isKept == true
      ? ToolObject.linkerWords(conformances: results.files.conformances) : []
  }

  private var kept: [OptimizationText.Kept] {
    var kept: [OptimizationText.Kept] = [
      .init(
        recipe.flags(linker: [orderWord]),
        "symbol order; functions not in it stay where they are")
    ]
    if optimization.isPacked {
      kept.append(
        .init(
          recipe.flags(linker: [LinkRecipe.packing]), "packed relocations",
          price: "needs glibc 2.36 or newer at run time; an older one refuses to start the program")
      )
    }
    if optimization.prefetch != nil {
      kept.append(
        .init(
          recipe.flags(linker: [results.files.prefetch]), "page prefetch before main",
          price: "fits this build: optimize again after larger changes; a stale one prefetches "
            + "the wrong pages"))
    }
    if !conformanceWords.isEmpty {
      kept.append(
        .init(
          recipe.flags(linker: conformanceWords), "a table for Swift's conformance look-ups",
          price: "fits this build: optimize again after changes; a table of another build is "
            + "ignored"))
    }
    for optIn in optIns {
      kept.append(.init(recipe.flags(linker: optIn.linkerWords), optIn.gain, price: optIn.price))
    }
    return kept
  }

  private var files: [(what: String, path: String)] {
    let made = results.files
    var files = [
      ("new program", made.after), ("profile", made.profile), ("order", made.order),
      ("flags to keep", made.flags),
    ]
    if optimization.prefetch != nil { files.append(("prefetch", made.prefetch)) }
    if !conformanceWords.isEmpty { files.append(("conformances", made.conformances)) }
    files.append(("page maps", made.report("html")))
    return files
  }
}
