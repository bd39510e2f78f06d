import Testing

/// Readers of foreign files on a fixed number of broken ones, each in a process of its own: Scripts/fuzz looks for more.
@Suite struct MutatedInputTests {
  @Test func segments() async {
    await #expect(processExitsWith: .success) {
      try MutatedInputs.run("segments", 300, fuzzSegment)
    }
  }

  @Test func batches() async {
    await #expect(processExitsWith: .success) {
      try MutatedInputs.run("batches", 1000, fuzzBatch)
    }
  }

  @Test func profiles() async {
    await #expect(processExitsWith: .success) {
      try MutatedInputs.run("profiles", 200, fuzzProfile)
    }
  }

  @Test func elfFiles() async {
    await #expect(processExitsWith: .success) { try MutatedInputs.run("elf", 200, fuzzELF) }
  }
}
