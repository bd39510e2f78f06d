import FirstlightModel
import NeverCalled
import Reports
import SystemSupport

/// The contents of a binary, as a document.
extension SizeReport {
  /// - Parameter limit: the most rows of each table; 0: all.
  func document(limit: Int, paths: SourcePaths) -> Document {
    let reasons = reasons(paths)
    let shown = limit == 0 ? reasons[...] : reasons.prefix(limit)
    let rest =
      shown.count < reasons.count
      ? ["and \(CountText.number(reasons.count - shown.count)) more"] : []
    return Document([
      .title("\(path): \(CountText.bytes(fileSize))"),
      hasLocalSymbols
        ? nil
        : .lines([
          "It is stripped: what its bytes belong to is known only as far as it exports names."
        ]),
      isInstrumented ? .lines([instrumentationNote]) : nil,
      sections.isEmpty ? nil : .table(sectionTable(limit)), .table(moduleTable(limit)),
      reasons.isEmpty ? nil : .paragraph(["Why dependencies are there"] + shown + rest),
      specialized.isEmpty
        ? nil
        : .table(
          Document.Table(
            "Generic functions with copies",
            [.number("Bytes"), .number("Copies"), .code("Function")],
            specialized.map {
              [
                CountText.bytes($0.bytes), CountText.number($0.copies),
                FunctionIdentity(name: "$s", entity: $0.name).shortName,
              ]
            },
            most: limit)),
      .table(
        Document.Table(
          "Largest symbols",
          [.number("Bytes"), .text("Module"), .text("Called", optional: true), .code("Symbol")],
          symbols.map {
            [
              CountText.bytes($0.bytes), $0.module,
              $0.isCalled.map { $0 ? "called" : "never called" } ?? "", $0.shortName,
            ]
          }, most: limit)),
    ])
  }

  private var instrumentationNote: String {
    "Instrumented binary: its sizes include the instrumentation. Measure a build without the flags."
  }

  /// A self-contained page: a treemap of modules and their symbols, coloured by the share that was called, and
  /// tables.
  func page() throws(Failure) -> String {
    let title = "What \(BaseName.of(path)) is made of"
    let sentence =
      isWatched
      ? "Green was called, orange in part, red never; grey is data, or was not watched."
      : "Without a profile, nothing is known about calls: firstlight size BINARY PROFILE.flp shows them."
    let map: HTML = """
      <p><button type="button" id="back" hidden>All modules</button> <strong id="place"></strong></p>
      <svg id="map" role="group" aria-label="Treemap of modules"></svg>

      """
    return Document([
      .title(title),
      .lines(
        [
          "\(CountText.bytes(fileSize)), \(CountText.text(symbols.count, "symbol")). \(sentence)"
        ] + (isInstrumented ? [instrumentationNote] : [])), .figure(map), .table(moduleTable(0)),
      .table(sectionTable(0)),
    ]).page(
      title: title, style: Treemap.style, data: try pageData(),
      script: Treemap.script + ResourceText.of(PackageResources.size_js))
  }

  private func share(_ bytes: UInt64) -> String {
    NumberText.decimal(fileSize == 0 ? 0 : Double(bytes) / Double(fileSize) * 100, digits: 1) + "%"
  }

  private func sectionTable(_ limit: Int) -> Document.Table {
    Document.Table(
      "Sections", [.text("Section"), .number("Bytes"), .number("Share")],
      sections.map { [$0.name, CountText.bytes($0.bytes), share($0.bytes)] }, most: limit)
  }

  private func moduleTable(_ limit: Int) -> Document.Table {
    let known = modules.map { module in
      (
        module.bytes,
        [
          module.name, module.owner.text, CountText.bytes(module.bytes), share(module.bytes),
          CountText.bytes(module.code), CountText.bytes(module.data),
          module.calledShare.map(NumberText.share) ?? "",
        ]
      )
    }
    let rows =
      known
      + others.map {
        ($0.bytes, [$0.name, "", CountText.bytes($0.bytes), share($0.bytes), "", "", ""])
      }
    return Document.Table(
      "Modules",
      [
        .text("Module"), .text("Of", drop: 1, optional: true), .number("Bytes"), .number("Share"),
        .number("Code", drop: 2), .number("Data", drop: 3), .number("Called", optional: true),
      ], rows.sorted { $0.0 > $1.0 }.map(\.1), notes: unknown.map { [$0] } ?? [], most: limit)
  }

  /// How to learn the origin of code that has neither a Swift name nor debug information.
  private var unknown: String? {
    let bytes = modules.reduce(0) { $0 + ($1.name == SymbolOwner.unknown.module ? $1.bytes : 0) }
    guard bytes * 50 > fileSize else { return nil }
    let largest = symbols.first { $0.module == SymbolOwner.unknown.module }
    let example = largest.map { " (\(CountText.bytes($0.bytes)) of it \($0.name))" } ?? ""
    return
      "\(CountText.bytes(bytes)) are C and C++ without debug information\(example). To see which library they are "
      + "from, link with -Wl,-Map=FILE (swift build: -Xlinker -Map=FILE), and pass --map FILE"
  }

  /// The calls of own code into each dependency, one line each.
  private func reasons(_ paths: SourcePaths) -> [String] {
    modules.filter { $0.owner != .own && $0.owner != .unknown && !$0.callers.isEmpty }.map {
      module in
      let calls = module.callers.reduce(0) { $0 + $1.calls }
      let called = module.calledShare.map { ", \(NumberText.share($0)) called" } ?? ""
      let start = "\(module.name): \(CountText.bytes(module.bytes))\(called), through "
      if calls == 1, let caller = module.callers.first {
        return start + "1 call in \(paths.shown(caller.file)), of \(caller.callee)"
      }
      let files = module.callers.prefix(3).map {
        "\(paths.shown($0.file)) (\(CountText.number($0.calls)))"
      }
      let others = module.callers.count - files.count
      return start + "\(CountText.text(calls, "call")) in \(files.joined(separator: ", "))"
        + (others > 0 ? " and \(CountText.text(others, "more file"))" : "")
    }
  }

  private func pageData() throws(Failure) -> String {
    let places = Dictionary(
      modules.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let modules =
      self.modules.map {
        [
          "name": $0.name, "bytes": $0.bytes, "watched": $0.watchedBytes, "called": $0.calledBytes,
        ] as JSONObject
      } + others.map { ["name": $0.name, "bytes": $0.bytes, "watched": 0, "called": 0] }
    // The rest of a module is one tile.
    let symbols = symbols.prefix(20_000).map {
      PageRow(name: $0.name, module: places[$0.module] ?? 0, bytes: $0.bytes, isCalled: $0.isCalled)
    }
    let all: JSONObject = ["modules": modules, "symbols": symbols]
    return try JSONForm.compact(all)
  }

  /// `[name, module, bytes, called]`
  private struct PageRow: Encodable {
    var name: String
    var module: Int
    var bytes: UInt64
    var isCalled: Bool?

    func encode(to encoder: any Encoder) throws {
      var row = encoder.unkeyedContainer()
      try row.encode(name)
      try row.encode(module)
      try row.encode(bytes)
      if let isCalled { try row.encode(isCalled) } else { try row.encodeNil() }
    }
  }
}

extension SizeDifference {
  /// The growth since an older file.
  package func document(limit: Int) -> Document {
    let tables = [("Sections", sections), ("Modules", modules), ("Symbols", symbols)]
    return Document(
      [
        .title(
          "\(total.name): \(CountText.bytes(total.after)), \(Self.change(total.growth)) since "
            + CountText.bytes(total.before))
      ]
        + tables.filter { !$0.1.isEmpty }.map { title, rows in
          .table(
            Document.Table(
              title, [.number("Growth"), .number("Before"), .number("After"), .text("Name")],
              rows.map {
                [
                  Self.change($0.growth), CountText.bytes($0.before), CountText.bytes($0.after),
                  $0.name,
                ]
              }, most: limit))
        })
  }

  private static func change(_ growth: Int64) -> String {
    (growth < 0 ? "-" : "+") + CountText.bytes(growth.magnitude)
  }
}
