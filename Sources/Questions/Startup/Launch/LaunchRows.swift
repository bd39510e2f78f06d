import FirstlightModel

/// The rows of a report's tables: each has its values of all traced starts.
extension StartupReport {
  struct StageRow: Sendable {
    var kind: LaunchStage.Kind
    /// Seconds.
    var duration: Sample
    package var minorFaults: Sample
    package var majorFaults: Sample
    /// Share of the sum of all stages' medians, 0 ... 1.
    var share: Double
  }

  /// In the order of the stages.
  var stageRows: [StageRow] {
    var rows: [StageRow] = LaunchStage.Kind.allCases.compactMap { kind in
      let stages = watched.flatMap { $0.record.stages.filter { $0.kind == kind } }
      guard !stages.isEmpty else { return nil }
      return StageRow(
        kind: kind, duration: Sample(stages.map { Double($0.duration) / 1e9 }),
        minorFaults: Sample(stages.map { Double($0.minorFaults) }),
        majorFaults: Sample(stages.map { Double($0.majorFaults) }), share: 0)
    }
    let all = rows.reduce(0) { $0 + $1.duration.median }
    if all > 0 { for row in rows.indices { rows[row].share = rows[row].duration.median / all } }
    return rows
  }

  /// The start in the form of a profile; nil: one kind of start is missing.
  package var typical: TypicalStart? {
    guard wall.count > 0, !watched.isEmpty else { return nil }
    return TypicalStart(
      duration: UInt64(clamping: (wall.median * 1e9).rounded()),
      stages: Dictionary(
        uniqueKeysWithValues: stageRows.map {
          ($0.kind, UInt64(clamping: ($0.duration.median * 1e9).rounded()))
        }))
  }

  struct InitializerRow: Sendable {
    var image: String
    var name: String
    var address: UInt64
    /// Its place among the initializers of the first start, from 1.
    var order: Int
    /// Seconds; empty if the initializer never returned.
    var duration: Sample
    package var minorFaults: Sample
    package var majorFaults: Sample

    /// Whether its work is the program's choice: it is neither in the start files that every program has, nor
    /// Firstlight's.
    var isTheProgramsOwn: Bool {
      !FunctionIdentity.isOfStartFile(name) && !FunctionIdentity.isOfFirstlight(name)
    }
  }

  /// Slowest first.
  var initializerRows: [InitializerRow] {
    struct Key: Hashable { var image: String, address: UInt64 }
    var all: [Key: [InitializerRun]] = [:]
    var order: [Key] = []
    for start in detailed {
      for run in start.initializers {
        let key = Key(image: run.image, address: run.address)
        if all[key] == nil { order.append(key) }
        all[key, default: []].append(run)
      }
    }
    let rows = order.enumerated().map { place, key -> InitializerRow in
      let runs = all[key]!
      return InitializerRow(
        image: key.image, name: runs[0].name, address: key.address, order: place + 1,
        duration: Sample(runs.compactMap { $0.duration.map { Double($0) / 1e9 } }),
        minorFaults: Sample(runs.map { Double($0.minorFaults) }),
        majorFaults: Sample(runs.map { Double($0.majorFaults) }))
    }
    return rows.sorted {
      let (a, b) = ($0.duration.count == 0, $1.duration.count == 0)
      // An initializer that did not return counts as the slowest.
      if a != b { return a }
      return a ? $0.order < $1.order : $0.duration.median > $1.duration.median
    }
  }

  struct ImageRow: Sendable {
    var path: String
    /// Seconds; empty if unknown.
    var mapping: Sample
    var relocating: Sample
    var isLoadedLater: Bool
    /// The number of relocations; nil if the file could not be read.
    var relocations: Int?

    var median: Double {
      (mapping.count > 0 ? mapping.median : 0) + (relocating.count > 0 ? relocating.median : 0)
    }
  }

  /// Slowest first.
  var imageRows: [ImageRow] {
    var all: [TextBytes: [LoadedImage]] = [:]
    var order: [String] = []
    for start in detailed {
      for image in start.images {
        if all[image.path] == nil { order.append(image.path) }
        all[image.path, default: []].append(image)
      }
    }
    let counts = Dictionary(
      texts: relocations.map { ($0.image, $0.counts.values.reduce(0, +)) },
      uniquingKeysWith: { a, _ in a })
    return order.map { path in
      let images = all[path]!
      return ImageRow(
        path: path, mapping: Sample(images.compactMap { $0.mapping.map { Double($0) / 1e9 } }),
        relocating: Sample(images.compactMap { $0.relocating.map { Double($0) / 1e9 } }),
        isLoadedLater: images.allSatisfy(\.isLoadedLater), relocations: counts[path])
    }.sorted { $0.median > $1.median }
  }
}
