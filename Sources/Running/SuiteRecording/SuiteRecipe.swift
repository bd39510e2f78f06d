import BuildOptimizer
import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// How a project's tests are built with guards, and run.
package struct SuiteRecipe {
  /// For a shell, in the project's folder; nil: running builds what it runs.
  package let build: String?
  package let run: String
  /// As the user knows them: without our flags.
  package let buildText: String
  package let runText: String
  /// Whether the compilers on PATH are to be ours: the commands have no place for flags.
  package let needsCompilers: Bool
  package let isSwiftPM: Bool
  /// Whether CMake and ctest do it, as we say.
  package private(set) var isCMake = false

  package static let flagsMark = "{flags}"

  /// - Parameters:
  ///   - build: the user's command; nil: as the folder shows.
  ///   - run: the user's command; nil: as the folder shows.
  ///   - arguments: of the test runner.
  /// - Throws: `Failure` of kind `noInput` if the folder does not show how its tests are built.
  package init(
    folder: SuiteFolder, build: String?, run: String?, arguments: [String], flags: Flags
  ) throws(Failure) {
    let more = arguments.map { " " + ShellText.quoted($0) }.joined()
    if let run {
      let commands = [build, run + more].compactMap { $0 }
      self.build = try build.map { command throws(Failure) in try flags.added(to: command, folder) }
      self.run = try flags.added(to: run, folder) + more
      (buildText, runText) = (build ?? run, run + more)
      isSwiftPM = commands.contains { !BuildRecipe.ends(ofSwift: Flags.verbs, in: $0).isEmpty }
      needsCompilers = !isSwiftPM && !commands.contains { $0.contains(Self.flagsMark) }
      return
    }
    func holds(_ name: String) -> Bool { access("\(folder.project)/\(name)", F_OK) == 0 }
    if holds("Package.swift") {
      (buildText, runText) = ("swift build --build-tests", "swift test" + more)
      self.build = try flags.added(to: buildText, folder)
      self.run = try flags.added(to: "swift test", folder) + " --skip-build" + more
      (needsCompilers, isSwiftPM) = (false, true)
    } else if holds("CMakeLists.txt") {
      let tree = ShellText.quoted(folder.cmake)
      self.build =
        "cmake -S . -B \(tree) -DCMAKE_BUILD_TYPE=Debug"
        + " && cmake --build \(tree) --parallel \(HostInfo.describe().cores)"
      self.run = "ctest --test-dir \(tree) --output-on-failure" + more
      (buildText, runText) = ("cmake --build", "ctest" + more)
      (needsCompilers, isSwiftPM, isCMake) = (true, false, true)
    } else {
      throw Self.unknown(
        folder.project,
        hasMakefile: ["Makefile", "makefile", "GNUmakefile"].contains(where: holds))
    }
  }

  private static func unknown(_ folder: String, hasMakefile: Bool) -> Failure {
    let example = "firstlight test --build 'make clean all' --run 'make test'"
    return hasMakefile
      ? Failure(
        .noInput, "\(folder): has a Makefile, which does not say how to build and run its tests",
        advice: "say it: \(example)")
      : Failure(
        .noInput, "\(folder): has no Package.swift or CMakeLists.txt",
        advice: "name the project's folder, or say how its tests are built and run: \(example)")
  }

  /// The flags that put in guards.
  package struct Flags {
    /// Of debug builds, which are SwiftPM's: nothing is inlined there as it is.
    let swiftPM: BuildFlags
    /// Of builds that may optimise.
    let clang: BuildFlags

    static let verbs = ["build", "test"]

    /// With the runtime that came with this tool.
    package init() throws(Failure) { self.init(runtime: try ToolLibrary.runtime.find()) }

    package init(runtime: String) {
      swiftPM = BuildFlags(level: .func, runtime: runtime)
      clang = BuildFlags(level: .func, keepsCalls: true, runtime: runtime)
    }

    /// For a compiler's command line.
    var clangWords: [String] { ["-g"] + clang.words(for: .clang) }

    /// A command with the flags in their places: behind `swift build` and `swift test`, or for the
    /// mark.
    func added(to command: String, _ folder: SuiteFolder) throws(Failure) -> String {
      var text = command
      let words =
        ["--scratch-path", folder.path] + swiftPM.words(for: .swiftpm)
      for end in BuildRecipe.ends(ofSwift: Self.verbs, in: text).reversed() {
        text.insert(contentsOf: words.map { " " + ShellText.quoted($0) }.joined(), at: end)
      }
      guard text.contains(SuiteRecipe.flagsMark) else { return text }
      // They may stand within quotes.
      if let word = clangWords.first(where: { !BuildFlags.isPlain($0) }) {
        throw Failure(
          .usage, "this flag needs shell quoting: \(word)", advice: "install firstlight elsewhere")
      }
      return text.replacing(SuiteRecipe.flagsMark, with: clangWords.joined(separator: " "))
    }
  }
}
