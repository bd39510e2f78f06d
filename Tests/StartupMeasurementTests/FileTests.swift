import FirstlightModel
import Foundation
import StartupMeasurement
import StartupReport
import TestSupport
import Testing

@Suite struct FileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func ordersWithoutNamesAreRefused() throws {
    let empty = try directory.write("# nothing\n\n", to: "empty.order")
    let failure = #expect(throws: Failure.self) { try OrderNames.read(empty) }
    #expect(failure?.kind == .data)
    let order = try directory.write("main\nhelper\n", to: "two.order")
    #expect(try OrderNames.read(order) == ["main", "helper"])
  }

  /// Oracle: the linker, which writes the map.
  @Test func aLinkersMapIsRead() throws {
    try directory.write("int main(void) { return 0; }", to: "main.c")
    try Command.check(
      ["clang", "-ffunction-sections", "-fuse-ld=lld", "-Wl,-Map=map", "main.c", "-o", "program"],
      in: directory.url)
    let sections = try LinkMapFile.read(directory.path("map"))
    #expect(sections.contains { $0.name == ".text.main" })
    let other = try directory.write("hello\n", to: "other")
    #expect(throws: Failure.self) { try LinkMapFile.read(other) }
  }

  @Test func aBinaryWithoutSymbolsHasNoNames() throws {
    try directory.write("int main(void) { return 0; }", to: "main.c")
    try Command.check(["clang", "main.c", "-o", "program"], in: directory.url)
    #expect(throws: Never.self) { try TargetBinary.symbols(of: directory.path("program")) }
    try Command.check(["strip", "program"], in: directory.url)
    let failure = #expect(throws: Failure.self) {
      try TargetBinary.symbols(of: directory.path("program"))
    }
    #expect(failure?.kind == .data)
  }

  @Test func aFileThatIsNoBaselineIsRefused() throws {
    let path = try directory.write("{}", to: "start.json")
    let failure = #expect(throws: Failure.self) { try StartupBaselineFile.read(path) }
    #expect(failure?.problem.hasPrefix(path) == true)
  }

  @Test func aBaselineOfFormOneIsStillRead() throws {
    let path = directory.path("baseline.json")
    let host = Host(name: "h", kernel: "k", architecture: "a", processor: "p", cores: 2)
    try StartupBaselineFile.write(
      StartupBaseline(
        binary: .init(path: "app", buildID: "0a"), arguments: [], until: "exit", exitStatus: 0,
        cold: false, pinned: true, machine: .init(host),
        inventory: StartupInventory(libraries: [], initializers: [:], relocations: [:]),
        order: nil, runs: ["milliseconds": [2], "cpuMilliseconds": [1.5]], reference: [7],
        referenceCPUTime: [6.5]), to: path)
    var text = try String(contentsOfFile: path, encoding: .utf8)
    text.replace(/"firstlightStartup" : [0-9]/, with: "\"firstlightStartup\" : 1")
    text.replace("cpuMilliseconds", with: "processorMilliseconds")
    text.replace("referenceCpuMilliseconds", with: "referenceProcessorTime")
    let old = try directory.write(text, to: "old.json")
    let baseline = try StartupBaselineFile.read(old)
    #expect(baseline.sample(.cpuTime).median == 1.5)
    #expect(baseline.referenceCPUTime == [6.5])
  }
}
