import Foundation
import TestSupport
import Testing

/// Patches by owner, applied by git, built and tested by swift.
@Suite(.tags(.compiler)) struct OwnerPatchTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let files = [
    ".gitignore": ".build\n.build-firstlight\n",
    "CODEOWNERS": "/Sources/Shop/ @acme/shop\n/Sources/Cart/ @acme/cart\n",
    "Package.swift": """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(
      name: "shop",
      targets: [
        .target(name: "Shop"), .target(name: "Cart", dependencies: ["Shop"]),
        .testTarget(name: "ShopTests", dependencies: ["Shop", "Cart"]),
      ])

    """,
    "Sources/Shop/Ware.swift": """
    public struct Ware {
      public var price = 3
      public init() {}
      public func doubled() -> Int { price * 2 }

      /// Not used.
      func hidden() -> Int { secret() }

      private func secret() -> Int { 4 }

      public func forCart() -> Int { 5 }
    }

    """,
    "Sources/Shop/Old.swift": "func old() -> Int { older() }\nfunc older() -> Int { 1 }\n",
    "Sources/Cart/Cart.swift": """
    import Shop

    public func total() -> Int { Ware().doubled() }

    func unusedTotal() -> Int { Ware().forCart() }

    func alone() -> Int { 7 }

    """,
    "Tests/ShopTests/ShopTests.swift": """
    import Cart
    import Shop
    import Testing
    @Test func doubles() { #expect(total() == 6) }

    """,
  ]

  private func prune(_ arguments: String...) throws -> CommandResult {
    try Command.run(
      [Toolchain.firstlight, "prune"] + arguments, in: project,
      environment: ["GIT_AUTHOR_NAME": "Ünal Ay", "GIT_AUTHOR_EMAIL": "u@example.org"])
  }

  private func patches(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: project.appending(path: folder).path)
      .sorted()
  }

  @Test func ownersGetPatchesThatGitTakesAndThatPass() throws {
    try commit(Self.files)
    try Command.check([Toolchain.firstlight, "test"], in: project)

    let result = try prune("--by-owner", "-o", "patches", "--verify")
    #expect(result.status == 0, "\(result.errors)")
    // All at once, and two of them alone: the third needs both.
    #expect(result.errors.contains("removes 7 functions") && result.errors.contains("in 3 runs"))
    let names = try patches("patches")
    #expect(
      names == [
        "0001-Remove-1-function-that-never-ran.patch",
        "0002-Remove-4-functions-that-never-ran.patch",
        "0003-Remove-2-functions-that-never-ran.patch",
      ])
    let alone = try text("patches/\(names[0])")
    for part in [
      "Recorded: 1 run on 1 host of 1 build", "with this patch alone, and with all 3",
      "  alone()  Sources/Cart/Cart.swift:7\n    unreferenced; since ", "Owners: @acme/cart\n",
      "; line of ",
    ] { #expect(alone.contains(part), "\(part)") }
    let shared = try text("patches/\(names[2])")
    #expect(shared.contains("Owners: @acme/cart @acme/shop\nTheir files change together"))
    #expect(shared.contains("Apply patch 1 first, which also changes Sources/Cart/Cart.swift."))

    // The second one stands on its own, too.
    try git("am", "-q", "patches/\(names[1])")
    #expect(try git("log", "-1", "--format=%an <%ae>") == "Ünal Ay <u@example.org>\n")
    try Command.check(["swift", "build"], in: project)
    try git("reset", "-q", "--hard", "HEAD~")
    try git("am", "-q", "patches/\(names[0])", "patches/\(names[1])", "patches/\(names[2])")
    #expect(try git("log", "--format=%s").split(separator: "\n").count == 4)
    try Command.check(["swift", "test"], in: project)
    #expect(
      try text("Sources/Cart/Cart.swift")
        == "import Shop\n\npublic func total() -> Int { Ware().doubled() }\n")

    let again = try prune("--by-owner", "-o", "patches")
    #expect(again.status == 73 && again.errors.contains("has patches already"))
  }

  @Test func patchesWithoutOwnersAreDividedByLines() throws {
    try commit(Self.files.filter { $0.key != "CODEOWNERS" })
    try Command.check([Toolchain.firstlight, "test"], in: project)
    let whole = try prune("--by-owner", "-o", "whole")
    #expect(whole.errors.contains("there is no CODEOWNERS"), "\(whole.errors)")
    #expect(try patches("whole") == ["0001-Remove-7-functions-that-never-ran.patch"])
    let same = try prune("--by-owner", "-o", "same")
    #expect(same.status == 0)
    #expect(
      try patches("same").map { try text("same/\($0)") }
        == patches("whole").map { try text("whole/\($0)") })
    let parts = try prune("--by-owner", "-o", "parts", "--max-lines", "3")
    #expect(parts.status == 0, "\(parts.errors)")
    #expect(try patches("parts").count == 4)
    let owners = try directory.write("* @all\n", to: "project/owners.txt")
    _ = try prune("--by-owner", "-o", "named", "--owners", owners)
    let named = try #require(patches("named").first)
    #expect(try text("named/\(named)").contains("\nOwners: @all\n"))

    for name in try patches("parts") { try git("am", "-q", "parts/\(name)") }
    let applied = try git("diff", "HEAD~4", "HEAD", "--", "Sources")
    try git("reset", "-q", "--hard", "HEAD~4")
    try git("am", "-q", "whole/0001-Remove-7-functions-that-never-ran.patch")
    #expect(try git("diff", "HEAD~", "HEAD", "--", "Sources") == applied)
  }

  @Test func optionsThatNeedEachOtherSaySo() throws {
    try directory.write("", to: "project/Makefile")
    for (arguments, problem) in [
      (["--by-owner"], "name a folder with -o"), (["--max-lines", "3"], "need --by-owner"),
      (["--by-owner", "-o", "x", "--max-lines", "0"], "--max-lines must be 1 or more"),
    ] {
      let result = try Command.run([Toolchain.firstlight, "prune"] + arguments, in: project)
      #expect(result.status == 64 && result.errors.contains(problem), "\(result.errors)")
    }
  }
}
