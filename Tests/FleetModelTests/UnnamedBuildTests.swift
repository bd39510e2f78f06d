import FirstlightModel
import FleetModel
import Testing

/// Builds that want a binary, and those whose binary shows that none is missing.
@Suite struct UnnamedBuildTests {
  private func build(hasSymbols: Bool) -> Build {
    Build(
      buildID: BuildID("aa")!, path: "/b/server", kind: .executable, architecture: "x86_64",
      hasSymbols: hasSymbols, hasDebugInfo: false, functions: [], entryGuards: [], guardCount: 90,
      recorder: .entryHooks)
  }

  /// It was linked with the runtime, but compiled without guards and hooks.
  @Test func aBuildWithoutHooksWantsNoNames() throws {
    let profile = Profile(builds: [RecordedBuild(build: build(hasSymbols: true))])
    #expect(profile.unnamed.isEmpty)
    #expect(profile.builds[0].build.isWithoutHooks)
    try profile.requireNames(address: "URL")
  }

  @Test func aBuildWithoutABinaryWantsNames() {
    let profile = Profile(builds: [RecordedBuild(build: build(hasSymbols: false))])
    #expect(profile.unnamed.count == 1)
    #expect(throws: Failure.self) { try profile.requireNames(address: "URL") }
  }
}
