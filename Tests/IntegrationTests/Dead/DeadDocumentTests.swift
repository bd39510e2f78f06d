import Foundation
import TestSupport
import Testing

/// The commands of Documentation/Dead.md, as a reader pastes them into a project.
@Suite(.tags(.compiler)) struct DeadDocumentTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let files = [
    "Package.swift": """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(
      name: "wares",
      targets: [
        .target(name: "Wares"), .executableTarget(name: "shop", dependencies: ["Wares"]),
        .testTarget(name: "WaresTests", dependencies: ["Wares"]),
      ])

    """,
    "Sources/Wares/Wares.swift": """
    public func price() -> Int { 3 }
    public func tested() -> Int { 4 }
    func unused() -> Int { 5 }

    """,
    "Sources/shop/main.swift": "import Wares\nprint(price())\n",
    "Tests/WaresTests/WaresTests.swift": """
    import Testing
    import Wares
    @Test func prices() { #expect(price() + tested() == 7) }

    """,
    "Makefile": """
    all: app
    test: app
    \t./app
    app: app.c
    \t$(CC) $(CFLAGS) $(LDFLAGS) -o app app.c
    clean:
    \trm -f app

    """,
    "app.c": "int unused(void) { return 1; }\nint main(void) { return 0; }\n",
  ]

  @Test func documentedCommandsWork() throws {
    try commit(Self.files)
    try git("branch", "-M", "main")
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Dead.md"), encoding: .utf8)
    let commands = page.matches(of: /```\n((?:.|\n)*?)```/).flatMap { $0.1.split(separator: "\n") }
      .map { $0.hasPrefix("$ ") ? $0.dropFirst(2) : $0 }
      .filter { $0.hasPrefix("firstlight ") || $0.hasPrefix("make ") }
    #expect(commands.count > 10)
    let bin = URL(fileURLWithPath: Toolchain.firstlight).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    func run(_ command: String) throws -> CommandResult {
      try Command.run(["sh", "-c", command], in: project, environment: ["PATH": "\(bin):\(path)"])
    }
    // What the page's other files are.
    for command in [
      "firstlight test --write-baseline dead.json", "swift build $(firstlight flags swiftpm)",
      "firstlight record -o production.flp .build/debug/shop", "cp production.flp week.flp",
    ] {
      let result = try run(command)
      try #require(result.status == 0, "\(command)\n\(result.errors)")
    }
    for command in commands {
      // Too few runs; or a list that --strict refuses.
      let allowed: Set<Int32> =
        command.contains("--min-runs") ? [2] : command.contains("--strict") ? [0, 1] : [0]
      let result = try run(String(command))
      #expect(allowed.contains(result.status), "\(command)\n\(result.errors)")
    }
  }
}
