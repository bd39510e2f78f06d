import FirstlightModel
import RunStatistics
import StartupReport
import TextFormatting

/// The account of a start-up for programs: each start's values too. Times are nanoseconds.
package enum LaunchJSON {
  package static func text(_ account: StartupReport) throws(Failure) -> String {
    try JSONForm.pretty(Document(account))
  }

  private struct Document: Encodable {
    var command: [String]
    var until: String
    var cold: Bool
    var source: String
    var failure: String?
    var starts: [Start]
    var watched: [Watched]
    /// What a stop cost, in parts of what it cost a child that does little.
    var stopScale: Double?
    /// What the time since there was a second thread was multiplied by.
    var stretch: Double?
    /// What the stages add up to, in parts of the time of unwatched starts.
    var share: Double?
    var stages: [Stage]
    var initializers: [Initializer]
    var images: [Image]
    var relocations: [Relocations]
    var calls: [Call]?
    /// What was done to the times of calls.
    var correction: TimeCorrection?
    var marks: [Mark]
    var notes: [String]
    var host, kernel, architecture, processor: String
    var cores: Int

    init(_ account: StartupReport) {
      let conditions = account.conditions
      command = conditions.command
      until = conditions.until
      cold = conditions.isCold
      source = conditions.source
      failure = account.failure
      starts = account.plain.map {
        Start(duration: $0.duration, minorFaults: $0.minorFaults, majorFaults: $0.majorFaults)
      }
      watched = account.watched.map {
        Watched(record: $0.record, stops: $0.stops, watching: $0.cost)
      }
      stopScale = account.setting?.costScale
      stretch = account.setting?.stretch
      share = account.failure == nil ? account.checkedShare : nil
      stages = account.stageRows.map(Stage.init)
      initializers = account.initializerRows.map { row in
        Initializer(row, names: account.names)
      }
      images = account.imageRows.map(Image.init)
      relocations = account.relocations.map {
        Relocations(image: $0.image, counts: $0.counts, packed: $0.packed)
      }
      calls = account.calls.map { $0.calls.map(Call.init) }
      correction = account.calls?.correction
      marks = account.marks.map(Mark.init)
      notes = conditions.notes
      host = conditions.host.name
      kernel = conditions.host.kernel
      architecture = conditions.host.architecture
      processor = conditions.host.processor
      cores = conditions.host.cores
    }
  }

  /// A mark, or with `isSpan` a span; without `duration` its end was not seen.
  private struct Mark: Encodable {
    var name: String
    var thread: UInt32
    var time: UInt64
    var isSpan: Bool
    var duration: UInt64?

    init(_ mark: ProgramMark) {
      name = mark.name
      thread = mark.thread
      time = mark.time
      switch mark.kind {
      case .mark: isSpan = false
      case .span(let took):
        isSpan = true
        duration = took
      }
    }
  }

  private struct Start: Encodable {
    var duration, minorFaults, majorFaults: UInt64
  }

  private struct Watched: Encodable {
    var record: LaunchRecord
    var stops: Int
    /// What watching took of the main thread, which is taken off.
    var watching: UInt64
  }

  private struct Spread: Encodable {
    var median, lowerQuartile, upperQuartile: Double

    /// - Parameter scale: what a unit of the sample is in those of the document.
    init?(_ sample: Sample, scale: Double = 1) {
      guard sample.count > 0 else { return nil }
      median = sample.median * scale
      lowerQuartile = sample.quantile(0.25) * scale
      upperQuartile = sample.quantile(0.75) * scale
    }
  }

  private struct Stage: Encodable {
    var kind: String
    var duration, minorFaults, majorFaults: Spread?
    var share: Double

    init(_ row: StartupReport.StageRow) {
      kind = row.kind.rawValue
      duration = Spread(row.duration, scale: 1e9)
      minorFaults = Spread(row.minorFaults)
      majorFaults = Spread(row.majorFaults)
      share = row.share
    }
  }

  private struct Initializer: Encodable {
    var image, name, demangled: String
    var address: UInt64
    var order: Int
    /// Missing if it did not return.
    var duration: Spread?
    var minorFaults, majorFaults: Spread?

    init(_ row: StartupReport.InitializerRow, names: [String: String]) {
      image = row.image
      name = row.name
      demangled = names[row.name] ?? row.name
      address = row.address
      order = row.order
      duration = Spread(row.duration, scale: 1e9)
      minorFaults = Spread(row.minorFaults)
      majorFaults = Spread(row.majorFaults)
    }
  }

  private struct Image: Encodable {
    var path: String
    var mapping, relocating: Spread?
    var relocations: Int?
    var loadedLater: Bool

    init(_ row: StartupReport.ImageRow) {
      path = row.path
      mapping = Spread(row.mapping, scale: 1e9)
      relocating = Spread(row.relocating, scale: 1e9)
      relocations = row.relocations
      loadedLater = row.isLoadedLater
    }
  }

  private struct Relocations: Encodable {
    var image: String
    var counts: [String: Int]
    var packed: Int
  }

  private struct Call: Encodable {
    var name, image: String
    var file: String?
    var line: Int?
    var thread: UInt32
    var time: UInt64
    /// Index of the call around it.
    var parent: Int?
    /// `cpu` is what of the own time was on a processor, `error` by how much it may be wrong.
    var duration, own, cpu: UInt64?
    var error: UInt64
    var ending: String
    var minorFaults, majorFaults: UInt32

    init(_ call: CallTree.Call) {
      name = call.name
      image = call.image
      file = call.file
      line = call.file == nil ? nil : call.line
      thread = call.thread
      time = call.time
      parent = call.outcome.parent < 0 ? nil : Int(call.outcome.parent)
      duration = call.outcome.duration
      own = call.own
      cpu = call.ownCPU
      error = call.error
      ending = "\(call.outcome.ending)"
      minorFaults = call.outcome.minorFaults
      majorFaults = call.outcome.majorFaults
    }
  }
}
