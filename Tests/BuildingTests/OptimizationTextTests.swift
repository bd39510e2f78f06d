import Building
import FirstlightModel
import Inspection
import Ordering
import Startup
import Testing

/// What `optimize` says first, and what it recommends.
@Suite struct OptimizationTextTests {
  private func side(
    _ values: [StartupMetric: Double], lateness: Double, spread: Double
  ) -> StartupComparison.Side {
    let facts = BinaryFacts(
      path: "p", buildID: nil, kind: .executable, architecture: "x86_64", fileSize: 1 << 20,
      isPositionIndependent: true, interpreter: nil, sections: [], dynamic: .init(),
      relocations: .init(), initializers: [], guardCount: 0, functionStarts: [])
    let runs = (0..<10).map { number in
      var run = StartupRun(values: values.mapValues { $0 * (1 + spread * Double(number)) })
      run.lateness = lateness
      return run
    }
    return .init(facts: facts, runs: runs, map: nil)
  }

  private func text(
    _ a: [StartupMetric: Double], _ b: [StartupMetric: Double], lateness: Double = 0,
    spread: Double = 0.0001,
    _ binary: LinkedBinary = LinkedBinary(symbols: [], outputSections: []), order: [String] = [],
    takesCompilerFlags: Bool = true, isPacked: Bool = true, prefetch: PrefetchRanges? = nil,
    applied: [Optimization.Priced] = []
  ) -> String {
    let comparison = StartupComparison(
      a: side(a, lateness: lateness, spread: spread),
      b: side(b, lateness: lateness, spread: spread),
      conditions: .init(
        arguments: [], until: "exit", isCold: true,
        host: Host(
          name: "host", kernel: "Linux 6", architecture: "x86_64", processor: "CPU", cores: 2)))
    return Optimization(
      comparison: comparison,
      verification: OrderVerification(of: order, in: binary, pageSize: 4096), prefetch: prefetch,
      recordedRuns: 3, isPacked: isPacked, priced: [], libraries: [],
      owner: SectionOwner(folders: ["/home/me/app"]), takesCompilerFlags: takesCompilerFlags
    ).document(applied: applied, files: [], check: "check", command: "make").text()
  }

  @Test func aGainIsRecommended() {
    let text = text([.time: 60, .rss: 20_000], [.time: 30, .rss: 12_000])
    #expect(text.hasPrefix("WORTH IT: time to ready -50.0%, RSS -40.0%.\n"))
    #expect(
      text.hasSuffix(
        "\n\nBuild it like this from now on, in start-up order\nwith packed relocations:\nmake\n"))
    #expect(text.contains("\nRule: the new build is recommended if \(StartupGain.rule).\n"))
  }

  @Test func lessMemoryWithoutLessTimeIsNotRecommended() {
    let text = text([.time: 10, .rss: 20_000], [.time: 10, .rss: 12_000])
    #expect(text.hasPrefix("NO TIME GAINED: lower in RSS -40.0%. Nothing is recommended.\n"))
    #expect(text.contains("\nNot recommended. This builds it all the same"))
  }

  @Test func theLastLinesSayWhatTheCommandDoes() {
    let before: [StartupMetric: Double] = [.time: 10]
    #expect(
      text(before, before, isPacked: false).hasSuffix(
        "\nNot recommended. This builds it all the same, in start-up order:\nmake\n"))
    let ranges = PrefetchRanges(touched: [], sections: [], capacity: 0)
    let text = text(
      before, before, prefetch: ranges,
      applied: [.init(name: "no-export-dynamic", gain: "a gain", price: "a price")])
    #expect(
      text.hasSuffix("\nwith packed relocations, page prefetch and no-export-dynamic:\nmake\n"))
    #expect(text.contains("  relative relocations packed\n      price: needs glibc 2.36 or newer"))
    #expect(text.contains("prefetched before main\n      price: fits this build"))
    #expect(text.contains("  no-export-dynamic: a gain\n      price: a price\n"))
  }

  private func expectNoRecommendation(
    _ a: [StartupMetric: Double], _ b: [StartupMetric: Double], first: String
  ) {
    let text = text(a, b)
    #expect(text.hasPrefix(first), "\(text)")
    #expect(text.contains("\nNot recommended. ") && !text.contains("from now on"))
  }

  @Test func sixKibibytesAreNoGain() {
    expectNoRecommendation(
      [.time: 10, .rssAnonymous: 1500], [.time: 10, .rssAnonymous: 1494], first: "NO GAIN")
    expectNoRecommendation([.time: 10, .rss: 9000], [.time: 10, .rss: 9000], first: "NO GAIN")
  }

  @Test func whatMayBeChanceIsNoNews() {
    let doubtful = text([.time: 10], [.time: 11.07], spread: 0.06)
    #expect(
      doubtful.hasPrefix("NO GAIN worth a change: keep your build as it is.\n"), "\(doubtful)")
    let longer = text([.time: 10], [.time: 12])
    #expect(
      longer.hasPrefix(
        "NO GAIN worth a change: keep your build as it is. Higher in time to ready +20.0%.\n"))
  }

  @Test func memoryForTimeIsMixed() {
    expectNoRecommendation(
      [.time: 10, .cachedPages: 100, .rss: 9000], [.time: 11.07, .cachedPages: 140, .rss: 5000],
      first: "MIXED RESULT: lower in RSS -44.4%, but higher in time to ready +10.7%, pages of the "
        + "binary read +40.0%. Nothing is recommended.\n")
  }

  @Test func thatReadinessWasSeenTooLateIsSaidFirst() {
    let text = text([.time: 3], [.time: 2.5], lateness: 10)
    #expect(text.hasPrefix("TIMES NOT RESOLVED: readiness was seen up to 10.00 ms late"), "\(text)")
    #expect(text.contains("\nNO GAIN"))
  }

  /// Three functions of one section each.
  @Test func nobodyIsToldToRecompileArchivesOfTheToolchain() {
    func text(_ file: String, takesCompilerFlags: Bool = true) -> String {
      let names = ["a", "b", "c"]
      let addresses = [0x3000, 0x2000, 0x1000] as [UInt64]
      let symbols = zip(names, addresses).map {
        TargetSymbol(name: $0, address: $1, size: 16, isLocal: false)
      }
      let sections = [InputSection(addresses: 0x1000..<0x4000, file: file, name: ".text")]
      return self.text(
        [.time: 3], [.time: 3],
        LinkedBinary(
          symbols: symbols, outputSections: [".text", ".text", ".text"], inputSections: sections),
        order: names, takesCompilerFlags: takesCompilerFlags)
    }
    for own in ["main.o", "/home/me/app/lib/liba.a(a.o)"] {
      #expect(text(own).contains("pass {cflags} to the compiler"), "\(own)")
    }
    #expect(!text("main.o", takesCompilerFlags: false).contains("{cflags}"))
    let foreign = text("/opt/swift/usr/lib/swift_static/linux/libswiftCore.a(Array.o)")
    #expect(!foreign.contains("{cflags}") && !foreign.contains("make clean"), "\(foreign)")
    #expect(foreign.contains("2 of them are not yours to recompile: libswiftCore.a"), "\(foreign)")
    // Every program has these.
    let start = text("/usr/lib/x86_64-linux-gnu/crt1.o")
    #expect(start.contains("2 of them are not yours to recompile\n"), "\(start)")
  }
}
