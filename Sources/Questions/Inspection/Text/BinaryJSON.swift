import FirstlightModel
import Recording
import SystemSupport

/// A report on a binary's start-up costs, as JSON.
extension BinaryReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let sections: [JSONObject] = facts.sections.filter(\.isLoaded).map {
      ["name": $0.name, "bytes": $0.size, "filePages": $0.filePages().count]
    }
    return [
      "path": facts.path, "kind": facts.kind.rawValue,
      "linkage": BinaryReportText.linkage(facts), "architecture": facts.architecture,
      "buildID": facts.buildID?.description, "interpreter": facts.interpreter,
      "fileBytes": facts.fileSize, "positionIndependent": facts.isPositionIndependent,
      "guards": facts.guardCount, "relocations": facts.relocations,
      "needed": facts.dynamic.needed, "exportedSymbols": facts.dynamic.exported.count,
      "importedSymbols": facts.dynamic.imported.count, "initializers": facts.initializers,
      "findings": findings, "sections": sections,
    ]
  }
}

extension RelocationFacts: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let bytes = Dictionary(tables.map { ($0.name, $0.bytes) }, uniquingKeysWith: +)
    return [
      "counts": counts, "packed": packed, "tableBytes": bytes, "dirtiedPages": dirtiedPagesInAll,
      "dirtiedPagesBySection": dirtiedPages,
    ]
  }
}

extension Finding: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let pages: JSONObject =
      switch cost {
      case .always(let pages): ["pages": pages, "upTo": false]
      case .upTo(let pages): ["pages": pages, "upTo": true]
      case .disk(let bytes): ["diskBytes": bytes]
      case .none: [:]
      }
    return pages.adding([
      "topic": topic.rawValue, "title": title, "details": details, "advice": advice.nonEmpty,
      "price": price.nonEmpty,
    ])
  }
}

extension Finding.Detail: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let field: JSONObject =
      switch value {
      case .count(let count): ["count": count]
      case .pages(let pages): ["pages": pages]
      case .bytes(let bytes): ["bytes": bytes]
      case .text(let text): ["text": text]
      case .names(let names): ["names": names]
      }
    return field.adding(["label": String(label.drop(any: " "))])
  }
}

/// A report on a program's libraries, as JSON.
extension LibraryReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let facts = binary.node.facts
    let libraries = libraries.map { library in
      let advice = LibraryAdvice(library, in: self)
      return library.jsonObject.adding([
        "verdict": library.verdict.rawValue, "sentence": advice.sentence.nonEmpty,
        "advice": advice.advice.nonEmpty, "price": advice.price.nonEmpty,
      ])
    }
    let missing: [JSONObject] = missing.map { ["name": $0.name, "neededBy": $0.by] }
    let unresolved: [JSONObject] = unresolved.map { ["symbol": $0.symbol, "neededBy": $0.by] }
    return [
      "binary": binary.jsonObject,
      "isStatic": facts.interpreter == nil && facts.kind == .executable, "libraries": libraries,
      "missing": missing, "unresolved": unresolved, "lookups": lookups.all,
      "callLookups": lookups.calls, "bindsNow": facts.dynamic.bindsNow,
      "readyMilliseconds": ready.map { $0 * 1000 }, "notes": notes,
    ]
  }
}

extension LibraryReport.Library {
  fileprivate var jsonObject: JSONObject {
    let uses: [JSONObject] = uses.map { use in
      let symbols = use.symbols.map { $0.version.isEmpty ? $0.name : "\($0.name)@\($0.version)" }
      return ["image": use.by, "symbols": symbols]
    }
    return [
      "name": node.name, "path": node.path, "neededBy": neededBy,
      "listedWithoutUse": listedWithoutUse, "brings": brings, "boundBy": uses,
      "relocations": node.facts.relocations.counts, "relocationPages": relocationPages,
      "pagesInAll": pagesInAll, "mappedPages": mappedPages,
      "initializers": node.facts.initializers.map(\.name), "loadedLater": node.isLoadedLater,
      "run": run,
    ]
  }
}

extension LibraryRun: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    [
      "watched": isWatched, "functions": functions, "codePages": codePages,
      "firstUseMilliseconds": firstUse.map { $0 * 1000 },
      "mappingMilliseconds": mapping.map { $0 * 1000 },
      "relocatingMilliseconds": relocating.map { $0 * 1000 },
      "initializingMilliseconds": initializing.map { $0 * 1000 },
    ]
  }
}

extension String {
  var nonEmpty: String? { isEmpty ? nil : self }
}
