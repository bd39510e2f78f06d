import Foundation
import TestSupport
import Testing

/// `swift package firstlight` in a package that depends on this one for its plugin alone.
@Suite(.serialized, .tags(.compiler)) struct PluginTests {
  private let directory: TemporaryDirectory
  private var user: URL { directory.url.appending(path: "User") }

  init() throws {
    directory = try TemporaryDirectory()
    try writePackage(targets: ["App"])
    // It leaves its arguments, then calls one function of two.
    try directory.write(
      """
      import Glibc
      func called() { print(CommandLine.arguments.dropFirst().joined(separator: " ")) }
      func never() { print("never") }
      if CommandLine.arguments.count < 9 { called() } else { never() }
      """, to: "User/Sources/App/main.swift")
  }

  private func writePackage(targets: [String]) throws {
    let list = targets.map { ".executableTarget(name: \"\($0)\")" }.joined(separator: ", ")
    try directory.write(
      """
      // swift-tools-version: 6.1
      import PackageDescription
      let package = Package(
        name: "User",
        dependencies: [
          .package(name: "firstlight", path: "\(Toolchain.project.path)", traits: [])
        ],
        targets: [\(list)])
      """, to: "User/Package.swift")
  }

  private func plugin(_ arguments: [String], tool folder: URL = Toolchain.products) throws
    -> CommandResult
  {
    try Command.run(
      ["swift", "package", "--allow-writing-to-package-directory", "firstlight"] + arguments,
      in: user,
      // SwiftPM mixes a plug-in's standard error into its output.
      environment: ["FIRSTLIGHT_BIN": folder.path, "FIRSTLIGHT_QUIET": "1"])
  }

  /// What a firstlight gets that shows its folder and arguments, one a line.
  private func handedOn(_ arguments: String...) throws -> [String] {
    try ProgramFile.script(
      "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\"\n",
      at: directory.path("stand-in/firstlight"))
    let result = try plugin(arguments, tool: directory.url.appending(path: "stand-in"))
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func commandsGetProgramOrFolder() throws {
    let folder = user.path
    let program = folder + "/.build/x86_64-unknown-linux-gnu/release/App"
    #expect(
      try handedOn("launch", "--runs", "5", "--", "a", "--product", "b")
        == [folder, "launch", "--runs", "5", "--", program, "a", "--product", "b"])
    #expect(
      try handedOn("gate", "--baseline", "b.json", "--product", "App")
        == [folder, "gate", "--baseline", "b.json", "--", program])
    #expect(
      try handedOn("record", "-o", "a.flp", "--", "x")
        == [folder, "record", "--no-rebuild", "-o", "a.flp", "--", program, "x"])
    #expect(try handedOn("inspect", "--map") == [folder, "inspect", program, "--map"])
    #expect(
      try handedOn("optimize", "--until", "exit", "--", "x") == [
        folder, "optimize", "--binary", program, "--build",
        "swift build -c release --ignore-lock --product 'App' --scratch-path '\(folder)/.build'",
        "--until", "exit", "--", "x",
      ])
    #expect(
      try handedOn("test", "--limit", "5", "--", "x") == [folder, "test", folder]
        + ["--limit", "5", "--", "x"])
    #expect(try handedOn("dead", "app.flp") == [folder, "dead", "app.flp"])
    #expect(try handedOn() == [folder, "--help"])
    #expect(try handedOn("launch", "--help") == [folder, "launch", "--help"])
  }

  @Test func aRealProgramIsRecordedLaunchedAndOptimized() throws {
    let recorded = try plugin(["record", "-o", "app.flp", "--", "one", "two"])
    #expect(recorded.status == 0 && recorded.output.contains("one two\n"), "\(recorded.errors)")
    let names = try Answer.order([user.path + "/app.flp"])
    #expect(names.contains("$s3App6calledyyF") && !names.contains("$s3App5neveryyF"))

    let launched = try plugin(["launch", "--format", "json", "--runs", "5"])
    #expect(launched.status == 0, "\(launched.errors)")
    #expect(
      (try JSONSerialization.jsonObject(with: Data(launched.output.utf8)) as? [String: Any])
        != nil)

    let optimized = try plugin(["optimize", "--runs", "5"])
    #expect(optimized.status == 0, "\(optimized.output)\(optimized.errors)")
    let after = user.appending(path: "App.firstlight/after/App").path
    #expect(try Command.check([after, "x"]) == "x\n")

    // The tool itself was neither fetched for nor compiled.
    let build = user.appending(path: ".build")
    let checkouts = try? FileManager.default.contentsOfDirectory(
      atPath: build.appending(path: "checkouts").path)
    #expect(checkouts ?? [] == [])
    let objects = try Command.check(["find", build.path, "-name", "*.o"]).split(separator: "\n")
    #expect(!objects.isEmpty && objects.allSatisfy { $0.contains("/App.build/") }, "\(objects)")
  }

  @Test func whatIsMissingIsNamedInOneLine() throws {
    func error(_ result: CommandResult) -> [Substring] {
      result.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
    }
    let empty = directory.url.appending(path: "empty")
    let missing = try plugin(["dead"], tool: empty)
    #expect(missing.status == 1)
    #expect(error(missing) == ["error: no firstlight in FIRSTLIGHT_BIN (\(empty.path))"])
    let unknown = try plugin(["launch", "--product", "Other"])
    #expect(
      error(unknown) == ["error: no executable product 'Other': this package has App"])
    let failed = try plugin(["dead", "none.flp"])
    #expect(failed.output.contains("none.flp"))
    #expect(error(failed) == ["error: Plugin ended with exit code 66"])

    try writePackage(targets: ["App", "Tool"])
    try directory.write("print(1)\n", to: "User/Sources/Tool/main.swift")
    #expect(
      error(try plugin(["inspect"])) == [
        "error: this package has several programs: choose one with --product: App, Tool"
      ])
    try directory.write("print(\n", to: "User/Sources/Tool/main.swift")
    let broken = try plugin(["inspect", "--product", "Tool"])
    #expect(error(broken) == ["error: the build of 'Tool' failed"])
    #expect(broken.output.contains("Tool/main.swift:"), "\(broken.output)")
  }

  /// Its code is of Swift 5: the shared variable is an error in Swift 6 mode.
  @Test(arguments: ["Package.swift", "Package@swift-6.1.swift"])
  func aPackageOfAnOlderToolsVersionTakesItAsDocumented(manifest: String) throws {
    let integrations = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Integrations.md"),
      encoding: .utf8)
    let documented = String(
      try #require(
        integrations.firstMatch(of: /```swift\n(\/\/ swift-tools-version(?:.|\n)*?)```/)?.1))
    let old = documented.replacing("6.1", with: "5.9")
      .replacing(",\n  swiftLanguageModes: [.v5]", with: "")
      .replacing(/\n  dependencies:.*/, with: "")
    try directory.write(old, to: "User/Package.swift")
    try directory.write(
      "class Box { static var shared = 0 }\nprint(Box.shared)\n",
      to: "User/Sources/App/main.swift")
    try Command.check(["swift", "build"], in: user)
    let new = documented.replacing(
      #"url: "https://.../firstlight", from: "0.2.0""#,
      with: #"name: "firstlight", path: "\#(Toolchain.project.path)""#)
    try directory.write(new, to: "User/\(manifest)")
    let result = try plugin(["libraries"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("libc.so.6"), "\(result.output)")
  }

  @Test func itMayWriteToThePackageOnlyWhenAllowed() throws {
    let result = try Command.run(["swift", "package", "firstlight", "dead"], in: user)
    #expect(result.status == 1)
    #expect(result.errors.contains("--allow-writing-to-package-directory"))
  }
}
