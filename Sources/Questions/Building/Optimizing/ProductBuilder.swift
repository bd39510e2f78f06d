import FirstlightModel
import Glibc
import ProcessControl
import Recording
import SystemSupport

/// Runs the user's build command, and copies the resulting program.
///
/// The file at the user's path and all other files of the build are restored to the state after the first
/// build.
package struct ProductBuilder {
  package let recipe: BuildRecipe
  /// The user's path of the program.
  package let path: String
  package let results: ResultDirectory
  private let files: BuiltFiles
  private let products: PackageProducts
  private let linker: LinkerCommand

  package init(recipe: BuildRecipe, path: String, results: ResultDirectory) {
    self.recipe = recipe
    self.path = path
    self.results = results
    files = BuiltFiles(in: results.unfinished.built)
    products = PackageProducts(program: path)
    linker = LinkerCommand(in: results.unfinished.linker)
  }

  /// Runs `work`, and restores the project's built files at its end, or if a signal ends this process.
  func restoring<Value>(
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let (files, products, path, folder) = (files, products, path, results.path)
    EndingSignals.setLastWork {
      products.bringBack()
      files.putBack()
      Terminal.report("error: interrupted; \(path) and its objects are as your own build made them")
    }
    defer {
      // Blocks signals, so that all files are restored or none.
      let signals = try? EndingSignals { _ in }
      relinkLibraries(after: products.bringBack() ?? path)
      files.putBack()
      // What follows measures the results, which are published last.
      EndingSignals.setLastWork {
        Terminal.report("error: interrupted; \(folder) has no new results")
      }
      withExtendedLifetime(signals) {}
    }
    try keepFiles()
    return try work()
  }

  /// Both programs find the libraries of their builds where these lie in the end.
  private func relinkLibraries(after program: String) {
    for (original, copy) in [
      (path, results.unfinished.before), (program, results.unfinished.after),
    ]
    where access(copy, F_OK) == 0 {
      OriginLibraries.link(from: original, for: copy, within: results.path)
    }
  }

  /// Saves the files to restore. For SwiftPM, that is the program alone: `products` has the others.
  private func keepFiles() throws(Failure) {
    guard !recipe.isSwiftPM, let directory = AbsolutePath.workingDirectory else {
      return try files.keep(program: path)
    }
    try files.keep(below: directory, except: results.path, program: path)
  }

  /// Builds the program as the user does, and copies it to `before` among the unfinished results.
  func buildPlain() throws(Failure) {
    let start = Clock.monotonic()
    try run(recipe.command(for: .plain), "building as you do", log: "build-before")
    Terminal.step("built in \(TimeText.text(Clock.monotonic() - start))")
    guard access(path, F_OK) == 0 else {
      throw Failure(
        .data, "\(path): not found after '\(recipe.text)'",
        advice: "pass the program that this command builds with --binary")
    }
    try checkProgram()
    try results.copyProgram(path, to: results.unfinished.before)
    // This is the state of the files to restore from now on.
    try keepFiles()
  }

  /// Throws `.data` if the build made a script, such as libtool's, which starts the program itself.
  private func checkProgram() throws(Failure) {
    do throws(Failure) {
      try FileStart.refuseScript(path)
    } catch {
      throw Failure(
        error.kind, error.problem,
        advice: "\(error.advice) with --binary; with libtool, configure with --disable-shared")
    }
  }

  /// Links the program with these flags and copies it to `target`. Repeats the linker's command of the last whole
  /// build if it can, and the whole build otherwise. A package is built as its recipe does it.
  package func build(linker words: [String], _ what: String, log: String, to target: String)
    throws(Failure)
  {
    if recipe.isSwiftPM {
      if let own = products.putAside() {
        OriginLibraries.link(from: own, for: results.unfinished.before, within: results.path)
      }
      let (flags, toolset) = (recipe.file(linking: words), results.unfinished.toolset)
      try ResultFile.write(flags, to: toolset)
      // SwiftPM plans a build again if the environment changes, but not if a toolset's contents do.
      let digest = HexText.of(FNV1a.hash(of: Array(flags.utf8)))
      return try build(
        keeping: toolset, what, log: log, to: target, environment: ["FIRSTLIGHT_FLAGS": digest])
    }
    try build(what, log: log, to: target) { () throws(Failure) in
      guard try !repeatLink(words, what, log: log) else { return }
      try run(
        recipe.command(for: .linked(with: words)), what, log: log, linker.environment(for: words))
      linker.find(for: path)
    }
  }

  /// Builds the program as the user is told to, with a file of flags, and copies it to `target`.
  package func build(
    keeping file: String, _ what: String, log: String, to target: String,
    environment: [TextBytes: String] = [:]
  ) throws(Failure) {
    try build(what, log: log, to: target) { () throws(Failure) in
      try run(recipe.command(for: .keeping(file: file)), what, log: log, environment)
    }
  }

  private func build(
    _ what: String, log: String, to target: String, _ work: () throws(Failure) -> Void
  ) throws(Failure) {
    // The build would not link an existing file again for other flags.
    if unlink(path) != 0, errno != ENOENT {
      throw Failure(.cannotCreate, "\(path): cannot be removed: \(ErrorText.of(errno))")
    }
    defer { try? ResultDirectory.copy(results.unfinished.before, to: path) }
    try work()
    guard access(path, F_OK) == 0 else {
      throw Failure(
        .data, "\(path): not found after the build with linker flags",
        advice: "see \(results.log(log)); the command must relink a program that was removed")
    }
    try results.copyProgram(path, to: target)
  }

  /// - Returns: whether the linker's command made the program. If not, all later links are whole builds.
  private func repeatLink(
    _ words: [String], _ what: String, log: String
  ) throws(Failure) -> Bool {
    guard let command = linker.repeated(with: words) else { return false }
    Terminal.step(what)
    let link = ProgramCommand(
      command.words, in: command.folder, scope: .group, log: try ProgramLog(results.log(log)))
    if try link.run(what).exitStatus == 0, access(path, F_OK) == 0 { return true }
    linker.forget()
    return false
  }

  private func run(
    _ command: String, _ what: String, log: String, _ environment: [TextBytes: String] = [:]
  ) throws(Failure) {
    Terminal.step(what)
    let shell = ProgramCommand(
      shell: command, environment: environment, scope: .group, log: try ProgramLog(results.log(log))
    )
    let status = try shell.run(what)
    guard status.exitStatus == 0 else {
      let reasons = shell.log.reasons(12)
      for line in reasons { Terminal.report("  \(line)") }
      // gcc's objects for link-time optimization have no code that lld can read, and look empty to it.
      let isWithoutCode = reasons.contains { $0.containsUTF8("undefined symbol: main") }
      throw Failure(
        .data, "the build command \(status.text): \(command)",
        advice: "the lines above are from \(results.log(log))"
          + (isWithoutCode
            ? "; if gcc compiled with -flto, leave that out: lld cannot read it" : "")
      )
    }
  }
}
