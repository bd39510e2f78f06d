import FirstlightModel
import Reports
import SystemSupport

/// The output formats of a size report.
package enum SizeFormat: String, CaseIterable, Sendable {
  case text, json, csv, html

  /// - Parameters:
  ///   - limit: the most rows of each table of the text; 0: all.
  ///   - paths: relative to the directory from which source paths are shown.
  package func text(
    _ report: SizeReport, limit: Int, paths: SourcePaths, style: TextStyle = .plain
  ) throws(Failure) -> String {
    switch self {
    case .text: report.document(limit: limit, paths: paths).text(style)
    case .json: try JSONForm.pretty(report)
    case .csv: Self.csv(report)
    case .html: try report.page()
    }
  }

  /// All symbols, and the bytes without one (RFC 4180).
  private static func csv(_ report: SizeReport) -> String {
    var text = "bytes,module,owner,section,called,name\r\n"
    let owners = Dictionary(
      report.modules.map { ($0.name, $0.owner.text) }, uniquingKeysWith: { first, _ in first })
    for row in report.symbols {
      text += CSVRow.text([
        "\(row.bytes)", row.module, owners[row.module] ?? "", row.section,
        row.isCalled.map { "\($0)" } ?? "", row.name,
      ])
    }
    for part in report.others { text += CSVRow.text(["\(part.bytes)", "", "", "", "", part.name]) }
    return text
  }
}

extension SizeReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "path": path, "fileSize": fileSize, "hasLocalSymbols": hasLocalSymbols,
      "isWatched": isWatched, "isInstrumented": isInstrumented,
      "sections": sections.map(\.jsonObject),
      "modules": modules.map(\.jsonObject), "others": others.map(\.jsonObject),
      "specialized": specialized.map {
        ["name": $0.name, "copies": $0.copies, "bytes": $0.bytes] as JSONObject
      },
      "symbols": symbols.map {
        [
          "name": $0.name, "module": $0.module, "section": $0.section, "bytes": $0.bytes,
          "called": $0.isCalled,
        ] as JSONObject
      },
    ]
  }
}

extension SizeReport.Part {
  fileprivate var jsonObject: JSONObject { ["name": name, "bytes": bytes] }
}

extension SizeReport.Module {
  fileprivate var jsonObject: JSONObject {
    [
      "name": name, "owner": owner.text, "bytes": bytes, "code": code, "data": data,
      "functions": functions, "calledFunctions": watchedBytes > 0 ? calledFunctions : nil,
      "calledShare": calledShare,
      "callers": callers.map { ["file": $0.file, "calls": $0.calls] as JSONObject },
    ]
  }
}

extension SizeDifference: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    func rows(_ rows: [Row]) -> [JSONObject] {
      rows.map { ["name": $0.name, "before": $0.before, "after": $0.after, "growth": $0.growth] }
    }
    return [
      "path": total.name, "before": total.before, "after": total.after, "growth": total.growth,
      "sections": rows(sections), "modules": rows(modules), "symbols": rows(symbols),
    ]
  }
}
