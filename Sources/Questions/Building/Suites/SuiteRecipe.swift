import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// The commands that build a project's tests with guards or entry hooks and run them.
package struct SuiteRecipe {
  /// A shell command for the project's folder; nil if `run` also builds.
  package let build: String?
  package let run: String
  /// The commands as displayed: without our flags.
  package let buildText: String
  package let runText: String
  /// Both steps without our flags, as one command; nil if the folder determines them.
  package private(set) var plain: String?
  /// Whether PATH must have our compilers: the commands have no place for flags.
  package let needsCompilers: Bool
  package let isSwiftPM: Bool
  /// Whether it is our own recipe for CMake and ctest.
  private(set) var isCMake = false
  /// The user's `NAME=VALUE` of CMake's cache.
  private(set) var definitions: [String] = []
  /// Whether the build is the user's, so that its results lie where they always do.
  package var buildsInPlace: Bool { !isSwiftPM && !isCMake }
  /// The choice that was made in a folder with two build systems, for people; nil: there is one.
  package private(set) var choice: String?

  static let flagsMark = "{flags}"

  /// - Parameters:
  ///   - build: the user's command; nil for the folder's default.
  ///   - run: the user's command; nil for the folder's default.
  ///   - arguments: arguments of the test runner.
  ///   - isRelease: whether SwiftPM makes release builds.
  ///   - definitions: `NAME=VALUE` of CMake's cache.
  /// - Throws: `Failure` of kind `noInput` if the folder has no known build system, or `usage`.
  package init(
    folder: SuiteFolder, build: String?, run: String?, arguments: [String],
    isRelease: Bool = false, definitions: [String] = [], flags: Flags
  ) throws(Failure) {
    func holds(_ name: String) -> Bool { access("\(folder.project)/\(name)", F_OK) == 0 }
    guard definitions.isEmpty || run == nil && holds("CMakeLists.txt") && !holds("Package.swift")
    else {
      throw Failure(
        .usage, "-D is for CMake, which does not build here",
        advice: "put the option into --build")
    }
    let more = arguments.map { " " + Escaping.shellWord($0) }.joined()
    if let run {
      let commands = [build, run + more].compactMap { $0 }
      self.build = try build.map { command throws(Failure) in try flags.added(to: command, folder) }
      self.run = try flags.added(to: run, folder) + more
      (buildText, runText) = (build ?? run, run + more)
      plain = commands.map(Self.plain).joined(separator: " && ")
      isSwiftPM = commands.contains { !BuildRecipe.ends(ofSwift: Flags.verbs, in: $0).isEmpty }
      needsCompilers = !isSwiftPM && !commands.contains { $0.containsUTF8(Self.flagsMark) }
      return
    }
    if holds("Package.swift") {
      // Tests of a release build reach internal declarations only on request, and only debug builds have an index.
      let release =
        isRelease ? " -c release -Xswiftc -enable-testing --enable-index-store" : ""
      (buildText, runText) = (
        "swift build --build-tests" + release, "swift test" + release + more
      )
      self.build = try flags.added(to: buildText, folder)
      self.run = try flags.added(to: "swift test", folder) + release + " --skip-build" + more
      (needsCompilers, isSwiftPM) = (false, true)
      if holds("CMakeLists.txt") { choice = Self.choice }
    } else if holds("CMakeLists.txt") {
      if isRelease {
        throw Failure(
          .usage, "-c release is for SwiftPM; this folder has a CMakeLists.txt",
          advice: "name the commands with --build and --run")
      }
      let tree = Escaping.shellWord(folder.cmake)
      let defined = definitions.map { " " + Escaping.shellWord("-D" + $0) }.joined()
      self.definitions = definitions
      if !definitions.isEmpty { plain = VerificationRecipe.cmake(definitions) }
      self.build =
        "cmake -S . -B \(tree) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
        + defined + " && cmake --build \(tree) --parallel \(HostInfo.describe().cores)"
      self.run = "ctest --test-dir \(tree) --output-on-failure" + more
      (buildText, runText) = (
        definitions.isEmpty ? "cmake --build" : "cmake" + defined,
        "ctest" + more
      )
      (needsCompilers, isSwiftPM, isCMake) = (true, false, true)
    } else {
      throw Self.unknown(folder.project)
    }
  }

  private static let choice =
    "note: there are a Package.swift and a CMakeLists.txt, and this uses SwiftPM; for CMake: "
    + cmake(running: "'ctest --test-dir build-tests'")

  /// The command that builds with CMake and runs something else than its tests.
  static func cmake(running command: String) -> String {
    "firstlight test --build 'cmake -S . -B build-tests -DCMAKE_BUILD_TYPE=Debug && "
      + "cmake --build build-tests' --run \(command)"
  }

  /// A step as part of a combined command.
  private static func plain(_ command: String) -> String {
    let text = command.replacing(utf8: flagsMark, with: "")
    return text.utf8.contains { ";|&#\n".utf8.contains($0) } ? "(\(text)\n)" : text
  }

  private static func unknown(_ folder: String) -> Failure {
    let names = ["GNUmakefile", "makefile", "Makefile"].map { "\(folder)/\($0)" }
    guard let makefile = names.lazy.compactMap({ try? TextFile.read($0) }).first else {
      return Failure(
        .noInput, "\(folder): has no Package.swift or CMakeLists.txt",
        advice: "name the project's folder, or say how its tests are built and run: "
          + "firstlight test --build 'make clean all' --run 'make test'")
    }
    let targets = Set(
      makefile.matches(of: /(?m)^([\w.\/ -]+):(?!=)/).flatMap { $0.1.split(at: " ") })
    // Without a target `clean`, -B makes make rebuild everything.
    let build =
      targets.contains(where: { $0 == "clean" })
      ? "make clean \(targets.contains(where: { $0 == "all" }) ? "all" : "&& make")" : "make -B"
    guard let run = ["test", "check", "tests"].first(where: { targets.contains($0[...]) }) else {
      return Failure(
        .noInput, "\(folder): has a Makefile without a target test or check",
        advice: "name the program that runs its tests: "
          + "firstlight test --build '\(build)' --run './PROGRAM'")
    }
    return Failure(
      .noInput, "\(folder): has a Makefile, which does not say how to build and run its tests",
      advice: "say it: firstlight test --build '\(build)' --run 'make \(run)'")
  }

  /// The instrumentation flags.
  package struct Flags {
    /// For SwiftPM's debug builds, which inline nothing anyway.
    let swiftPM: BuildFlags
    /// For C and C++ builds, which may optimise.
    let entryHooks: BuildFlags
    /// The same with counters.
    let countingHooks: BuildFlags
    /// Whether the clang on PATH can index: Swift's can, LLVM's releases cannot.
    let clangIndexes: Bool

    static let verbs = ["build", "test"]

    /// Uses the runtime that is installed with this tool.
    package init() throws(Failure) {
      self.init(runtime: try ToolLibrary.runtime.find(), clangIndexes: try Self.clangIndexes())
    }

    package init(runtime: String, clangIndexes: Bool) {
      self.clangIndexes = clangIndexes
      swiftPM = BuildFlags(guardsWithRuntime: runtime, counts: true)
      entryHooks = BuildFlags(entryHooksWithRuntime: runtime)
      countingHooks = BuildFlags(entryHooksWithRuntime: runtime, counts: true)
    }

    private static let indexing = "-index-store-path"

    /// Whether there is a clang that accepts the option; it need only parse it.
    private static func clangIndexes() throws(Failure) -> Bool {
      let words = ["-###", indexing, ".", "-fsyntax-only", "-x", "c", "/dev/null"]
      guard let clang = try? ProgramPath.find("clang") else { return false }
      let command = ProgramCommand([clang] + words, log: try ProgramLog())
      return try command.run("asking clang").exitStatus == 0
    }

    /// For a compiler on PATH.
    func wrapped(for compiler: CompilerWrappers.Kind, in folder: SuiteFolder) -> [String] {
      words(folder, compiler, indexes: clangIndexes)
    }

    /// For the compiler that a command names. Flags in gcc's form suit clang too, but may cause warnings.
    func marked(in command: String, _ folder: SuiteFolder) throws(Failure) -> [String] {
      let names = command.matches(of: /[\w.\/+-]*clang[\w.+-]*/).map { String($0.0) }
      let isOnPath = !names.isEmpty && names.allSatisfy { ["clang", "clang++"].contains($0) }
      var kind = CompilerWrappers.Kind.gcc
      for name in Set(names) {
        // Other words that contain the name, such as a script's, are not to be run.
        let isCompiler = BaseName.of(name).wholeMatch(of: /clang(\+\+)?(-[0-9]+)?/) != nil
        let found = isCompiler ? try CompilerWrappers.kind(of: name) : .clang
        kind = found == .gcc || kind == .clang ? .clang : found
      }
      return words(
        folder, kind,
        indexes: clangIndexes && isOnPath && BuildFlags.isPlain(folder.index))
    }

    /// With an index, or else relocations, `dead --index` can find references. Assemblers leave relocations between
    /// sections, and not all of them within one.
    private func words(
      _ folder: SuiteFolder, _ compiler: CompilerWrappers.Kind, indexes: Bool
    ) -> [String] {
      let relocations = ["-ffunction-sections", "-Xlinker", "--emit-relocs"]
      guard compiler != .gcc else {
        return ["-g"] + relocations + entryHooks.words(for: .gcc)
      }
      let references = indexes ? [Self.indexing, folder.index] : relocations
      // Linking ignores the index flags, and compiling ignores the relocation flags.
      return ["-g", "--start-no-unused-arguments"] + references + ["--end-no-unused-arguments"]
        + (compiler == .countingClang ? countingHooks : entryHooks).words(for: .clang)
    }

    /// A command with the flags inserted: after `swift build` and `swift test`, or in place of the
    /// mark.
    func added(to command: String, _ folder: SuiteFolder) throws(Failure) -> String {
      var text = command
      let words =
        ["--scratch-path", folder.path] + swiftPM.words(for: .swiftpm)
      for end in BuildRecipe.ends(ofSwift: Self.verbs, in: text).reversed() {
        text.insert(contentsOf: words.map { " " + Escaping.shellWord($0) }.joined(), at: end)
      }
      guard text.containsUTF8(SuiteRecipe.flagsMark) else { return text }
      // The flags may stand within quotes.
      let flags = try marked(in: command, folder)
      if let word = flags.first(where: { !BuildFlags.isPlain($0) }) {
        throw Failure(
          .usage, "this flag needs shell quoting: \(word)", advice: "install firstlight elsewhere")
      }
      return text.replacing(utf8: SuiteRecipe.flagsMark, with: flags.joined(separator: " "))
    }
  }
}
