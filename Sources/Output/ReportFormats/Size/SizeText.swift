import BinaryInspection
import FirstlightModel
import SystemSupport

/// What a binary is made of, as text.
package enum SizeText {
  /// - Parameter limit: the most rows of each table; 0: all.
  package static func text(_ report: SizeReport, limit: Int, paths: SourcePaths) -> String {
    var text = "\(report.path): \(CountText.bytes(report.fileSize))\n"
    if !report.hasLocalSymbols {
      text += "It is stripped: what its bytes belong to is known only as far as it exports names.\n"
    }
    text += section("Sections", report.sections.count, limit) { sections(report, $0) }
    text += section("Modules", report.modules.count + report.others.count, limit) {
      modules(report, $0)
    }
    text += unknown(report)
    text += section("Why dependencies are there", reasons(report).count, limit) {
      why(report, $0, paths)
    }
    text += section("Generic functions with copies", report.specialized.count, limit) {
      specialized(report, $0)
    }
    text += section("Largest symbols", report.symbols.count, limit) { symbols(report, $0) }
    return text
  }

  /// The growth since an older file.
  package static func text(_ difference: SizeDifference, limit: Int) -> String {
    let total = difference.total
    var text =
      "\(total.name): \(CountText.bytes(total.after)), \(change(total.growth)) since "
      + "\(CountText.bytes(total.before))\n"
    for (title, rows) in [
      ("Sections", difference.sections), ("Modules", difference.modules),
      ("Symbols", difference.symbols),
    ] {
      text += section(title, rows.count, limit) { count in
        var table = TextTable([.right, .right, .right, .left])
        for row in rows.prefix(count) {
          table.add(
            change(row.growth), CountText.bytes(row.before), CountText.bytes(row.after), row.name)
        }
        return table.text()
      }
    }
    return text
  }

  private static func section(
    _ title: String, _ count: Int, _ limit: Int, _ table: (Int) -> String
  ) -> String {
    guard count > 0 else { return "" }
    let shown = limit == 0 ? count : min(limit, count)
    let more = count > shown ? "... and \(CountText.number(count - shown)) more\n" : ""
    return "\n\(title)\n" + table(shown) + more
  }

  private static func change(_ growth: Int64) -> String {
    (growth < 0 ? "-" : "+") + CountText.bytes(growth.magnitude)
  }

  private static func share(_ bytes: UInt64, _ report: SizeReport) -> String {
    let share = report.fileSize == 0 ? 0 : Double(bytes) / Double(report.fileSize)
    return NumberText.decimal(share * 100, digits: 1) + "%"
  }

  private static func sections(_ report: SizeReport, _ count: Int) -> String {
    var table = TextTable([.right, .right, .left])
    for part in report.sections.prefix(count) {
      table.add(CountText.bytes(part.bytes), share(part.bytes, report), part.name)
    }
    return table.text()
  }

  private static func modules(_ report: SizeReport, _ count: Int) -> String {
    var table = TextTable([.right, .right, .right, .right, .right, .left, .left])
    table.add(
      "bytes", "share", "code", "data", report.isWatched ? "called" : "", "module", "of")
    var rows = report.modules.map { module in
      (
        module.bytes,
        [
          CountText.bytes(module.bytes), share(module.bytes, report), CountText.bytes(module.code),
          CountText.bytes(module.data), module.calledShare.map(NumberText.share) ?? "",
          module.name, module.owner.text,
        ]
      )
    }
    rows += report.others.map {
      ($0.bytes, [CountText.bytes($0.bytes), share($0.bytes, report), "", "", "", $0.name])
    }
    for row in rows.sorted(by: { $0.0 > $1.0 }).prefix(count) { table.add(row: row.1) }
    return table.text()
  }

  /// How to learn the origin of code that has neither a Swift name nor debug information.
  private static func unknown(_ report: SizeReport) -> String {
    let bytes = report.modules.reduce(0) { $0 + ($1.owner == .unknown ? $1.bytes : 0) }
    guard bytes * 50 > report.fileSize else { return "" }
    let largest = report.symbols.first { $0.module == SymbolOwner.unknown.module }
    let example = largest.map { " (\(CountText.bytes($0.bytes)) of it \($0.name))" } ?? ""
    return
      "\(CountText.bytes(bytes)) are C and C++ without debug information\(example). To see which library they are "
      + "from, link with -Wl,-Map=FILE (swift build: -Xlinker -Map=FILE), and pass --map FILE\n"
  }

  private static func reasons(_ report: SizeReport) -> [SizeReport.Module] {
    report.modules.filter {
      $0.owner != .own && $0.owner != .unknown && !$0.callers.isEmpty
    }
  }

  private static func why(_ report: SizeReport, _ count: Int, _ paths: SourcePaths) -> String {
    reasons(report).prefix(count).map { module -> String in
      let calls = module.callers.reduce(0) { $0 + $1.calls }
      let called = module.calledShare.map { ", \(NumberText.share($0)) called" } ?? ""
      let files = module.callers.prefix(3).map {
        "\(paths.shown($0.file)) (\(CountText.number($0.calls)))"
      }
      let others = module.callers.count - files.count
      if calls == 1, let caller = module.callers.first {
        return "\(module.name): \(CountText.bytes(module.bytes))\(called), through 1 call in "
          + "\(paths.shown(caller.file)), of \(caller.callee)\n"
      }
      return "\(module.name): \(CountText.bytes(module.bytes))\(called), through "
        + "\(CountText.text(calls, "call")) in \(files.joined(separator: ", "))"
        + (others > 0 ? " and \(CountText.text(others, "more file"))" : "") + "\n"
    }.joined()
  }

  private static func specialized(_ report: SizeReport, _ count: Int) -> String {
    var table = TextTable([.right, .right, .left])
    table.add("bytes", "copies", "function")
    for row in report.specialized.prefix(count) {
      table.add(CountText.bytes(row.bytes), CountText.number(row.copies), row.name)
    }
    return table.text()
  }

  private static func symbols(_ report: SizeReport, _ count: Int) -> String {
    var table = TextTable([.right, .left, .left, .left])
    for row in report.symbols.prefix(count) {
      let called = row.isCalled.map { $0 ? "called" : "never called" } ?? ""
      table.add(CountText.bytes(row.bytes), row.module, called, row.name)
    }
    return table.text()
  }
}
