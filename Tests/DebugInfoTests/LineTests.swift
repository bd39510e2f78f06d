import DebugInfo
import Testing

/// Entries and interior addresses of every function, against llvm-symbolizer.
@Suite struct LineTests {
  @Test(arguments: [
    ["-O0", "-gdwarf-4"], ["-O0", "-gdwarf-5"], ["-O2", "-gdwarf-4"], ["-O2", "-gdwarf-5"],
    ["-O2", "-gdwarf-5", "-gz=zlib"], ["-O2", "-gdwarf-4", "-gz=zlib", "-no-pie"],
    ["-O2", "-gdwarf-5", "-ffunction-sections", "-Wl,--gc-sections"],
    ["-O2", "-flto=full"],
  ])
  func linesOfCAgree(flags: [String]) throws {
    let tools = try Toolbox()
    try tools.buildC("program", flags)
    try expectAgreement(tools, "program", minimum: 4)
  }

  /// elfutils 0.192 cannot read those that clang writes.
  @Test func linesOf64BitDWARFAgreeOrAreNamedAsLeftOut() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O2", "-gdwarf64", "-gdwarf-5"])
    if try tools.elfutilsReadsLines(of: "program") {
      try expectAgreement(tools, "program", minimum: 4)
      return
    }
    let image = try DebugImage(path: tools.path("program"))
    let main = try #require(try tools.listedSymbols("program").first { $0.name == "main" })
    let frames = image.source.frames(at: [main.address], inlines: true).frames(at: 0)
    #expect(frames.last?.function == "main")
    #expect(image.notes.count == 1)
    #expect(image.notes.first?.contains("line tables that the installed elfutils 0.") == true)
  }

  @Test(arguments: [["-Onone"], ["-O"], ["-O", "-wmo", "-Xfrontend", "-function-sections"]])
  func linesOfSwiftAgree(flags: [String]) throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", flags)
    try expectAgreement(tools, "shapes", minimum: 30)
  }

  private func expectAgreement(_ tools: Toolbox, _ name: String, minimum: Int) throws {
    let symbols = try tools.listedSymbols(name).filter { $0.size > 0 }
    try #require(symbols.count >= minimum)
    var addresses: [UInt64] = []
    for symbol in symbols {
      for part in 0..<8 { addresses.append(symbol.address + symbol.size * UInt64(part) / 8) }
    }
    let expected = try tools.symbolized(name, addresses)
    try #require(expected.count == addresses.count)
    // Enough of them must be inlined or have lines, or the comparison would say nothing.
    #expect(expected.contains { $0.count > 1 && !$0[1].hasPrefix("??") })

    let image = try DebugImage(path: tools.path(name))
    #expect(image.hasDebugInfo)
    #expect(image.notes.isEmpty)
    let table = image.source.frames(at: addresses, inlines: true)
    let outer = image.source.frames(at: addresses, inlines: false)
    for (index, address) in addresses.enumerated() {
      let frames = table.frames(at: index)
      let comment = Comment(rawValue: String(address, radix: 16))
      #expect(Self.lines(frames) == expected[index], comment)
      if index % 16 == 0 {
        #expect(image.source.frames(at: [address], inlines: true).frames(at: 0) == frames, comment)
      }
      #expect(outer.frames(at: index).map(\.function) == [frames.last!.function], comment)
      #expect(outer.frames(at: index).map(\.location) == [frames[0].location], comment)
    }
  }

  private static func lines(_ frames: [Frame]) -> [String] {
    frames.flatMap { frame in
      [
        frame.function.isEmpty ? "??" : frame.function,
        "\(frame.file ?? "??"):\(frame.line):\(frame.column)",
      ]
    }
  }
}
