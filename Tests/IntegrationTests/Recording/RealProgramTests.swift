import Foundation
import TestSupport
import Testing

/// Packages and programs as their authors left them, built with nothing but our flags.
@Suite(.serialized, .tags(.compiler)) struct RealProgramTests {
  /// Runs `swift build` on a package of the project, keeping its build folder between test runs.
  private func build(
    _ package: String, _ arguments: [String] = [], configuration: String = "release",
    verb: String = "build"
  ) throws -> URL {
    let folder = Toolchain.inputs.appending(path: package.split(separator: "/").last! + "-build")
    let words =
      [
        "swift", verb, "-c", configuration, "--package-path",
        Toolchain.project.path + "/" + package,
        "--scratch-path", folder.path,
      ] + (try Toolchain.flags("swiftpm", "--counters")) + arguments
    try Command.check(words)
    return folder.appending(path: configuration)
  }

  @Test func aWebServerIsOrderedRelinkedAndServes() throws {
    let products = try build("Examples/web-service")
    let service = products.appending(path: "WebService").path
    let directory = try TemporaryDirectory()
    let profile = directory.path("web.flp")
    let run = try Command.start(
      [Toolchain.firstlight, "record", "-o", profile, "--", service, "--port", "0"])
    try serveOneRequest(run)
    let recorded = try run.wait()
    #expect(recorded.status == 0 && !recorded.signalled)

    // Names: thousands, all in the binary, none twice; agreed upon with llvm-nm.
    let names = try Answer.order([profile])
    #expect(names.count > 1000)
    #expect(Set(names).count == names.count)
    let symbols = Set(
      try Command.check(["llvm-nm", "--format=just-symbols", service]).split(separator: "\n"))
    #expect(names.filter { !symbols.contains(Substring($0)) } == [])

    // Deliberately unused code is listed, used code is not.
    let dead = try Answer.dead([profile, "--module", "WebService"])
    #expect(dead.functions.contains { $0.file?.hasSuffix("/CSVExport.swift") == true })
    #expect(!dead.functions.contains { $0.mangledName == "main" })

    // The relinked server has the called functions close together, and still serves.
    let order = directory.path("web.order")
    try Command.check([Toolchain.firstlight, "order", profile, "-o", order])
    try FileManager.default.removeItem(atPath: service)
    _ = try build(
      "Examples/web-service",
      ["-Xlinker", "--symbol-ordering-file=\(order)", "-Xlinker", "--fatal-warnings"])
    let relinked = try Command.start([service, "--port", "0"])
    try serveOneRequest(relinked)
    #expect(try relinked.wait().status == 0)
    try expectNamesInOrder(names, in: service)
  }

  /// Sends one request to a server that prints its port, then asks it to end.
  private func serveOneRequest(_ server: RunningCommand) throws {
    let port = try server.waitForOutput { output in
      output.split(separator: "\n").first { $0.hasPrefix("listening on 127.0.0.1:") }
        .flatMap { Int($0.split(separator: ":").last!) }
    }
    let answer = try Command.check(
      ["curl", "-sS", "--fail", "--noproxy", "*", "http://127.0.0.1:\(port)/notes"])
    #expect(!answer.isEmpty)
    server.send(SIGTERM)
  }

  /// Functions that exist once must lie in the linked file in the order's order.
  private func expectNamesInOrder(_ names: [String], in binary: String) throws {
    var addresses: [Substring: [UInt64]] = [:]
    for line in try Command.check(["llvm-nm", "--defined-only", binary]).split(separator: "\n") {
      let fields = line.split(separator: " ")
      if fields.count == 3, "tTwW".contains(fields[1]) {
        addresses[fields[2], default: []].append(UInt64(fields[0], radix: 16)!)
      }
    }
    let laid = names.compactMap { name -> UInt64? in
      let found = addresses[Substring(name)] ?? []
      return found.count == 1 ? found[0] : nil
    }
    let ascending = zip(laid, laid.dropFirst()).count { $0 < $1 }
    #expect(laid.count > 1000)
    #expect(Double(ascending) > 0.98 * Double(laid.count))
  }

  @Test func testsOfALibraryTellWhatTheyNeverCall() throws {
    let products = try build(
      "Tests/Fixtures/packages/TestedPackage", ["--build-tests"], configuration: "debug")
    let directory = try TemporaryDirectory()
    let profile = directory.path("tests.flp")
    let package = Toolchain.project.path + "/Tests/Fixtures/packages/TestedPackage"
    try Command.check(
      [
        Toolchain.firstlight, "record", "-o", profile, "--", "swift", "test", "--skip-build",
        "--package-path", package, "--scratch-path", products.deletingLastPathComponent().path,
      ]
        + (try Toolchain.flags("swiftpm", "--counters")))
    #expect(try Answer.info(profile).processes.count >= 2)
    let dead = try Answer.dead([profile, "--module", "Ledger"])
    #expect(
      Set(dead.functions.map(\.name).filter { !$0.hasPrefix("closure") }) == [
        "Ledger.Ledger.untestedLargest() -> Swift.Optional<Ledger.Entry>",
        "Ledger.Ledger.untestedRemoveAll() -> ()",
      ])
    #expect(dead.functions.allSatisfy { $0.module == "Ledger" })
    let byPath = try Answer.dead([profile, "--path", "*/Dep/Sources/*"])
    #expect(
      byPath.functions.map(\.name) == ["Dep.dependencyNeverCalled(cents: Swift.Int) -> Swift.Int"])
  }

  @Test func aPackageWithCAndCPlusPlusAndASharedLibrary() throws {
    let products = try build("Tests/Fixtures/packages/CxxPackage", configuration: "debug")
    let directory = try TemporaryDirectory()
    let profile = directory.path("cxx.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--", products.appending(path: "cxx-app").path,
    ])
    let order = try Answer.order([profile])
    #expect(order.contains("c_core_called"))
    #expect(order.contains { $0.contains("cxx_core_called") })
    #expect(try !Answer.order([profile, "--image", "libPlugboard.so"]).isEmpty)
    let never = try Answer.dead([profile]).functions.map(\.name)
    #expect(never.contains("c_core_never_called"))
    #expect(never.contains { $0.contains("cxx_core_never_called") })
    #expect(!never.contains("c_core_called"))
  }

  @Test func aPackageWithAMacroAndABuildPlugin() throws {
    let products = try build(
      "Tests/Fixtures/packages/MacroPackage", ["--product", "MacroApp"], configuration: "debug")
    let directory = try TemporaryDirectory()
    let profile = directory.path("macro.flp")
    let output = try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--",
      products.appending(path: "MacroApp").path,
    ])
    #expect(output.contains("5"))
    let dead = try Answer.dead([profile, "--module", "MacroApp"])
    let never = dead.functions.map(\.name)
    #expect(never.contains("static MacroApp.MacroApp.rarelyCalled() -> ()"))
    #expect(!never.contains("static MacroApp.MacroApp.main() -> ()"))
  }

  @Test func luaFromDebiansSources() throws {
    let source = Toolchain.inputs.appending(path: "lua5.4")
    try #require(
      FileManager.default.fileExists(atPath: source.path),
      "run Scripts/inputs lua5.4 first; Scripts/test does")
    let directory = try TemporaryDirectory()
    let tree = directory.url.appending(path: "lua")
    try FileManager.default.copyItem(at: source, to: tree)
    let flags = try Toolchain.flags("clang").joined(separator: " ")
    try Command.check(
      [
        "make", "-C", tree.appending(path: "src").path, "linux", "CC=clang",
        "CFLAGS=-O2 -g -DLUA_COMPAT_5_3 -DLUA_USE_LINUX \(flags)", "MYLDFLAGS=\(flags)",
      ])
    let script = try directory.write(
      "local t = {}\nfor i = 1, 10 do t[i] = i * i end\nprint(table.concat(t, ' '))\n",
      to: "squares.lua")
    let profile = directory.path("lua.flp")
    let output = try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--",
      tree.appending(path: "src/lua").path, script,
    ])
    #expect(output == "1 4 9 16 25 36 49 64 81 100\n")
    let order = try Answer.order([profile])
    #expect(order.first == "main")
    #expect(order.contains("luaV_execute"))
    let never = try Answer.dead([profile]).mangledNames
    #expect(never.contains("os_exit"))
    #expect(never.isDisjoint(with: order))
  }
}
