import Building
import FirstlightModel
import TestSupport
import Testing

/// The commands that build and run a project's tests.
@Suite struct SuiteRecipeTests {
  private let directory: TemporaryDirectory
  private let folder: SuiteFolder
  /// Of a build of these tests, which has no runtime beside it.
  private let flags = SuiteRecipe.Flags(
    runtime: "/opt/lib/libfirstlight_rt.a", clangIndexes: true)

  init() throws {
    directory = try TemporaryDirectory()
    folder = SuiteFolder(project: directory.url.path)
    try folder.create()
  }

  private func recipe(
    _ build: String? = nil, _ run: String? = nil, arguments: [String] = []
  ) throws(Failure) -> SuiteRecipe {
    try SuiteRecipe(folder: folder, build: build, run: run, arguments: arguments, flags: flags)
  }

  @Test func aPackageIsBuiltInAFolderOfItsOwn() throws {
    try directory.write("", to: "Package.swift")
    let recipe = try recipe(arguments: ["--filter", "a b"])
    let build = try #require(recipe.build)
    #expect(build.hasPrefix("swift build --scratch-path \(folder.path) -Xswiftc "))
    #expect(build.hasSuffix(" --build-tests"))
    #expect(recipe.run.hasPrefix("swift test --scratch-path \(folder.path) -Xswiftc "))
    #expect(recipe.run.hasSuffix(" --skip-build --filter 'a b'"))
    #expect(recipe.runText == "swift test --filter 'a b'")
    #expect(recipe.isSwiftPM && !recipe.needsCompilers)
  }

  @Test func aReleaseBuildCanBeTestedAndHasAnIndex() throws {
    try directory.write("", to: "Package.swift")
    let recipe = try SuiteRecipe(
      folder: folder, build: nil, run: nil, arguments: ["-q"], isRelease: true, flags: flags)
    let words = " -c release -Xswiftc -enable-testing --enable-index-store"
    #expect(recipe.build?.hasSuffix(" --build-tests" + words) == true)
    #expect(recipe.run.hasSuffix(words + " --skip-build -q"))
    #expect(recipe.build?.contains("-profile-generate") == true)
  }

  @Test func aPackageWinsOverCMake() throws {
    try directory.write("", to: "CMakeLists.txt")
    #expect(try recipe().build?.hasPrefix("cmake -S . -B \(folder.path)/cmake ") == true)
    #expect(try recipe().run.hasPrefix("ctest --test-dir \(folder.path)/cmake"))
    #expect(try recipe().needsCompilers && recipe().choice == nil)
    try directory.write("", to: "Package.swift")
    #expect(try recipe().isSwiftPM)
    #expect(try recipe().choice?.contains("--run 'ctest --test-dir build-tests'") == true)
  }

  @Test func theUsersCommandsGoFirst() throws {
    try directory.write("", to: "Package.swift")
    let recipe = try recipe(
      "swift build --build-tests -c release", "swift test -c release", arguments: ["-q"])
    #expect(recipe.build?.hasSuffix(" --build-tests -c release") == true)
    #expect(recipe.build?.contains("-sanitize-coverage=func,trace-pc-guard") == true)
    #expect(recipe.run.hasSuffix(" -c release -q"))
    #expect(recipe.isSwiftPM)
    // Running may build what it runs.
    let make = try self.recipe(nil, "make check")
    #expect(make.build == nil && make.run == "make check" && make.needsCompilers)
  }

  @Test func flagsStandWhereTheMarkIs() throws {
    let recipe = try recipe(#"make CC="clang {flags}""#, "./check")
    let build = try #require(recipe.build)
    #expect(build.contains(#"CC="clang -g --start-no-unused-arguments "#))
    #expect(
      build.contains("-finstrument-functions") && build.hasSuffix("--end-no-unused-arguments\""))
    #expect(!recipe.needsCompilers && recipe.buildText == #"make CC="clang {flags}""#)
    let apart = SuiteRecipe.Flags(
      runtime: "/my tools/libfirstlight_rt.a", clangIndexes: true)
    let failure = #expect(throws: Failure.self) {
      try SuiteRecipe(
        folder: folder, build: "make {flags}", run: "./check", arguments: [], flags: apart)
    }
    #expect(failure?.kind == .usage)
  }

  /// Who reads a text knows of no other clang than the one on PATH whether it can index.
  @Test func aClangThatMayNotIndexKeepsRelocations() throws {
    let index = "-index-store-path \(folder.project)/.build-firstlight/index-store "
    for (command, indexes) in [
      (#"make CC="clang {flags}""#, true), (#"make CC=clang CXX=clang++ CFLAGS="{flags}""#, true),
      (#"make CFLAGS="{flags}""#, false), (#"make CC="clang-14 {flags}""#, false),
      (#"make CC="/usr/bin/clang {flags}""#, false),
    ] {
      let build = try #require(try recipe(command, "./check").build)
      #expect(build.contains(index) == indexes, "\(build)")
      #expect(
        build.contains("-ffunction-sections -Xlinker --emit-relocs ") != indexes, "\(build)")
    }
    let plain = SuiteRecipe.Flags(runtime: "/opt/lib/libfirstlight_rt.a", clangIndexes: false)
    let build = try SuiteRecipe(
      folder: folder, build: #"make CC="clang {flags}""#, run: "./check", arguments: [],
      flags: plain
    ).build
    #expect(build?.contains("--emit-relocs") == true && build?.contains("index-store") == false)
  }

  @Test func aFolderThatShowsNothingIsNamed() throws {
    let failure = #expect(throws: Failure.self) { try recipe() }
    #expect(failure?.kind == .noInput && failure?.problem.hasPrefix(folder.project) == true)
  }

  @Test(arguments: [
    ("", "--build 'make -B' --run './PROGRAM'"),
    ("all: x\ntest check: x\nclean:\n", "--build 'make clean all' --run 'make test'"),
    (
      "x := test\nx: y\n.PHONY: check clean\ncheck: x\nclean:",
      "'make clean && make' --run 'make check'"
    ),
  ])
  func aMakefileShowsTheCommandsToSay(text: String, words: String) throws {
    try directory.write(text, to: "Makefile")
    let failure = #expect(throws: Failure.self) { try recipe() }
    #expect(failure?.kind == .noInput && failure?.problem.contains("has a Makefile") == true)
    #expect(failure?.advice.hasSuffix(words) == true, "\(String(describing: failure))")
  }

  @Test func whatTheUserSaidIsKnownWithoutFlags() throws {
    #expect(
      try recipe(#"make CC="clang {flags}""#, "make test", arguments: ["a b"]).plain
        == #"make CC="clang " && make test 'a b'"#)
    #expect(try recipe("./a; ./b", "./c").plain == "(./a; ./b\n) && ./c")
    #expect(try recipe(nil, "./c").plain == "./c")
    try directory.write("", to: "CMakeLists.txt")
    #expect(try recipe().plain == nil)
  }
}
