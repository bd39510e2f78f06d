import BinaryInspection
import FirstlightModel
import StartupReport
import TextFormatting

/// An account of a program's libraries for programs.
package enum LibrariesJSON {
  package static func text(_ account: LibraryReport) throws(Failure) -> String {
    try JSONForm.pretty(Document(account))
  }

  private struct Document: Encodable {
    var binary: LibraryDocument
    var isStatic: Bool
    var libraries: [LibraryDocument]
    var missing: [Missing]
    var unresolved: [Unresolved]
    var lookups, callLookups: Int
    var bindsNow: Bool
    var readyMilliseconds: Double?
    var notes: [String]

    init(_ account: LibraryReport) {
      let facts = account.binary.node.facts
      binary = LibraryDocument(account.binary, in: account)
      binary.verdict = nil
      binary.sentence = nil
      binary.advice = nil
      binary.price = nil
      isStatic = facts.interpreter == nil && facts.kind == .executable
      libraries = account.libraries.map { LibraryDocument($0, in: account) }
      missing = account.missing.map { Missing(name: $0.name, neededBy: $0.by) }
      unresolved = account.unresolved.map { Unresolved(symbol: $0.symbol, neededBy: $0.by) }
      lookups = account.lookups.all
      callLookups = account.lookups.calls
      bindsNow = facts.dynamic.bindsNow
      readyMilliseconds = account.ready.map { $0 * 1000 }
      notes = account.notes
    }
  }

  private struct Missing: Encodable {
    var name, neededBy: String
  }

  private struct Unresolved: Encodable {
    var symbol, neededBy: String
  }

  private struct LibraryDocument: Encodable {
    var name, path: String
    var neededBy, listedWithoutUse, brings: [String]
    var boundBy: [Use]
    var relocations: [String: Int]
    var relocationPages, pagesInAll, mappedPages: Int
    var initializers: [String]
    var loadedLater: Bool
    var verdict, sentence, advice, price: String?
    var run: Run?

    init(_ library: LibraryReport.Library, in account: LibraryReport) {
      let advice = LibraryAdvice(library, in: account)
      name = library.node.name
      path = library.node.path
      neededBy = library.neededBy
      listedWithoutUse = library.listedWithoutUse
      brings = library.brings
      pagesInAll = library.pagesInAll
      boundBy = library.uses.map { use in
        Use(
          image: use.by,
          symbols: use.symbols.map { $0.version.isEmpty ? $0.name : "\($0.name)@\($0.version)" })
      }
      relocations = library.node.facts.relocations.counts
      relocationPages = library.relocationPages
      mappedPages = library.mappedPages
      initializers = library.node.facts.initializers.map(\.name)
      loadedLater = library.node.isLoadedLater
      verdict = library.verdict.rawValue
      sentence = advice.sentence.isEmpty ? nil : advice.sentence
      self.advice = advice.advice.isEmpty ? nil : advice.advice
      price = advice.price.isEmpty ? nil : advice.price
      run = library.run.map(Run.init)
    }
  }

  private struct Use: Encodable {
    var image: String
    var symbols: [String]
  }

  private struct Run: Encodable {
    var watched: Bool
    var functions, codePages: Int
    var firstUseMilliseconds, mappingMilliseconds: Double?
    var relocatingMilliseconds, initializingMilliseconds: Double?

    init(_ run: LibraryRun) {
      watched = run.isWatched
      functions = run.functions
      codePages = run.codePages
      firstUseMilliseconds = run.firstUse.map { $0 * 1000 }
      mappingMilliseconds = run.mapping.map { $0 * 1000 }
      relocatingMilliseconds = run.relocating.map { $0 * 1000 }
      initializingMilliseconds = run.initializing.map { $0 * 1000 }
    }
  }
}
