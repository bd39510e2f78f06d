import FirstlightModel
import Testing

@Suite struct BuildTests {
  @Test func aBuildIDIsItsBytesInHexadecimal() {
    #expect(BuildID(bytes: [0x00, 0xab, 0x7f])?.description == "00ab7f")
    #expect(BuildID(bytes: []) == nil)
    #expect(BuildID("00ab7f") == BuildID(bytes: [0, 0xab, 0x7f]))
  }

  @Test(arguments: ["", "xyz", "AB", "file-", "12 34", "file-zz"])
  func invalidBuildIDsAreRefused(text: String) {
    #expect(BuildID(text) == nil)
  }

  @Test func aFileDigestIsNeverABuildID() {
    let digest = BuildID(fileDigest: [1, 2])
    #expect(digest.description == "file-0102")
    #expect(digest.isFileDigest)
    #expect(digest != BuildID(bytes: [1, 2]))
    #expect(BuildID(digest.description) == digest)
  }

  @Test func onlyGuardsOfEntriesAreFunctions() {
    let function = Function(
      address: 0, size: 0, name: "f", demangledName: "f", module: "", file: nil, line: 0,
      isCompilerGenerated: false, isLocal: false)
    let build = Build(
      buildID: BuildID("aa")!, path: "/b", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: [function, function, function],
      entryGuards: [1, 2, 5], guardCount: 8)
    #expect((0..<9).map { build.function(ofGuard: $0) } == [nil, 0, 1, nil, nil, 2, nil, nil, nil])
  }
}
