import FirstlightModel
import Glibc
import ProcessControl
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
  private let linker: LinkerCommand

  package init(recipe: BuildRecipe, path: String, results: ResultDirectory) {
    self.recipe = recipe
    self.path = path
    self.results = results
    files = BuiltFiles(in: results.unfinished.built)
    linker = LinkerCommand(in: results.unfinished.linker)
  }

  /// Runs `work`, and restores the project's built files at its end, or if a signal ends this process.
  package func restoring<Value>(
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let (files, path, folder) = (files, path, results.path)
    EndingSignals.setLastWork {
      files.putBack()
      Terminal.report("error: interrupted; \(path) and its objects are as your own build made them")
    }
    defer {
      // Blocks signals, so that all files are restored or none.
      let signals = try? EndingSignals { _ in }
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

  /// Saves the files to restore. For SwiftPM, that is the program alone: other files are useless without its
  /// database, and our builds use a separate directory if possible.
  private func keepFiles() throws(Failure) {
    guard !recipe.isSwiftPM, let directory = AbsolutePath.workingDirectory else {
      return try files.keep(program: path)
    }
    try files.keep(below: directory, except: results.path, program: path)
  }

  /// Builds the program as the user does, and copies it to `before` among the unfinished results.
  package func buildPlain() throws(Failure) {
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
  /// build if it can, and the whole build otherwise.
  package func build(linker words: [String], _ what: String, log: String, to target: String)
    throws(Failure)
  {
    let scratch = recipe.isPlainSwiftPM ? results.scratch : nil
    let product = if let scratch { try swiftPMProduct(scratch: scratch) } else { path }
    // The build would not link an existing file again for other flags.
    if unlink(product) != 0, errno != ENOENT {
      throw Failure(
        .cannotCreate, "\(product): cannot be removed: \(ErrorText.of(errno))")
    }
    defer { if product == path { try? ResultDirectory.copy(results.unfinished.before, to: path) } }
    if try !repeatLink(words, what, log: log, product) {
      let environment = recipe.isSwiftPM ? [:] : try linker.environment(for: words)
      try run(
        recipe.command(for: .linked(with: words), scratch: scratch), what, log: log, environment)
      linker.find(for: product)
    }
    guard access(product, F_OK) == 0 else {
      throw Failure(
        .data, "\(product): not found after the build with linker flags",
        advice: "see \(results.log(log)); the command must relink a program that was removed")
    }
    try results.copyProgram(product, to: target)
  }

  /// The path of SwiftPM's program below our own build directory.
  ///
  /// SwiftPM may print warnings after the answer, so they are redirected.
  private func swiftPMProduct(scratch: String) throws(Failure) -> String {
    let log = try ProgramLog(results.log("bin-path"))
    let command = recipe.command(for: .plain, scratch: scratch, extra: ["--show-bin-path"])
    let warnings = results.log("bin-path-warnings")
    let shell = ShellCommand(
      "\(command) 2>\(Escaping.shellWord(warnings))", scope: .group, log: log)
    let status = try shell.run("asking SwiftPM for its build directory")
    let folder = log.lastLine
    guard status.exitStatus == 0, folder.hasPrefix("/") else {
      let answer = status.exitStatus == 0 ? "names no directory: '\(folder)'" : status.text
      throw Failure(
        .data, "'\(recipe.text) --show-bin-path' \(answer)", advice: "see \(warnings)")
    }
    return "\(folder)/\(results.name)"
  }

  /// - Returns: whether the linker's command made the program. If not, all later links are whole builds.
  private func repeatLink(
    _ words: [String], _ what: String, log: String, _ product: String
  ) throws(Failure) -> Bool {
    guard let command = linker.repeated(with: words) else { return false }
    Terminal.step(what)
    let shell = ShellCommand(command, scope: .group, log: try ProgramLog(results.log(log)))
    if try shell.run(what).exitStatus == 0, access(product, F_OK) == 0 { return true }
    linker.forget()
    return false
  }

  private func run(
    _ command: String, _ what: String, log: String, _ environment: [String: String] = [:]
  ) throws(Failure) {
    Terminal.step(what)
    let shell = ShellCommand(
      command, environment: environment, scope: .group, log: try ProgramLog(results.log(log)))
    let status = try shell.run(what)
    guard status.exitStatus == 0 else {
      let reasons = shell.log.reasons(12)
      for line in reasons { Terminal.report("  \(line)") }
      // gcc's objects for link-time optimization have no code that lld can read, and look empty to it.
      let isWithoutCode = reasons.contains { $0.contains("undefined symbol: main") }
      throw Failure(
        .data, "the build command \(status.text): \(command)",
        advice: "the lines above are from \(results.log(log))"
          + (isWithoutCode
            ? "; if gcc compiled with -flto, leave that out: lld cannot read it" : "")
      )
    }
  }
}
