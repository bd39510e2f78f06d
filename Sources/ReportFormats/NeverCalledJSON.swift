import DeadCode
import FirstlightModel

/// A never-called list for programs. Documentation/Dead.md lists the keys.
public enum NeverCalledJSON {
  public static func text(_ list: NeverCalled) -> String {
    JSONText.encode(
      Document(
        observed: Observed(
          runs: list.runs, processes: list.processes, seconds: list.timeObserved,
          losses: LossesDocument(list.losses), withoutDebugInfo: list.buildsWithoutDebugInfo),
        totals: Totals(
          functions: list.totals.functions, called: list.totals.called,
          neverCalled: list.totals.neverCalled,
          neverCalledCompilerMade: list.totals.compilerMadeNeverCalled,
          neverCalledBytes: list.totals.bytes),
        functions: list.rows.map { row in
          FunctionDocument(
            module: row.module, image: row.image, file: row.function.file,
            line: row.function.line > 0 ? row.function.line : nil, bytes: row.function.size,
            name: row.function.demangledName, mangledName: row.function.name,
            compilerMade: row.function.isCompilerMade)
        }))
  }

  private struct Document: Encodable {
    var observed: Observed
    var totals: Totals
    var functions: [FunctionDocument]
  }

  private struct Observed: Encodable {
    var runs: Int
    var processes: Int
    var seconds: Double
    var losses: LossesDocument
    var withoutDebugInfo: [String]
  }

  private struct Totals: Encodable {
    var functions: Int
    var called: Int
    var neverCalled: Int
    var neverCalledCompilerMade: Int
    var neverCalledBytes: UInt64
  }

  private struct FunctionDocument: Encodable {
    var module: String
    var image: String
    var file: String?
    var line: Int?
    var bytes: UInt64
    var name: String
    var mangledName: String
    var compilerMade: Bool
  }
}

/// Losses as every JSON document of ours shows them.
struct LossesDocument: Encodable {
  var drops: Int
  var uncommitted: Int
  var lostImages: Int
  var unreadableSegments: Int

  init(_ losses: Losses) {
    drops = losses.drops
    uncommitted = losses.uncommitted
    lostImages = losses.lostImages
    unreadableSegments = losses.unreadableSegments
  }
}
