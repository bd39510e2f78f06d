import DebugInfo
import FirstlightModel

/// The lines of recorded functions in their source files, as the recorded binaries know them: the compiler's mapping of
/// counters has whole bodies, debug information the lines of code.
struct FunctionExtents {
  /// By build: the image's mapping, and the lines of the wanted code.
  private var counted: [Int: FunctionLines] = [:]
  private var code: [Int: FunctionLines] = [:]
  private let map: (String) -> String

  /// - Parameters:
  ///   - rows: the functions that are asked for.
  ///   - map: the current path of a recorded source file.
  /// - Throws: `Failure` if no recorded binary of these functions is left.
  init(
    of rows: [FunctionReport], in profile: borrowing Profile, map: @escaping (String) -> String
  ) throws(Failure) {
    self.map = map
    var images: [Int: DebugImage] = [:]
    let builds = Set(rows.flatMap { $0.pieces.compactMap(\.build) })
    for build in builds.sorted() {
      let recorded = profile.builds[build].build
      guard let image = try? DebugImage(path: recorded.path), image.recordedID == recorded.buildID
      else { continue }
      images[build] = image
      if image.hasCounters { counted[build] = image.countedLines }
    }
    if images.isEmpty, let build = builds.min() {
      throw Failure(
        .noInput,
        "\(profile.builds[build].build.path): the recorded binary is gone or was built again, and it alone "
          + "knows the lines of functions", advice: "record it again")
    }
    var wanted: [Int: Set<Range<UInt64>>] = [:]
    for row in rows where end(ofBody: row, profile) == nil {
      for piece in row.pieces {
        guard let build = piece.build, images[build] != nil else { continue }
        for function in Self.functions(with: piece, profile.builds[build].build) {
          guard let address = function.address, function.size > 0 else { continue }
          wanted[build, default: []].insert(address..<address + function.size)
        }
      }
    }
    for (build, ranges) in wanted {
      code[build] = images[build]?.lines(
        ofCode: ranges.sorted { $0.lowerBound < $1.lowerBound })
    }
  }

  /// The lines of functions in one file, from that of the name to that of the closing brace.
  ///
  /// - Parameter rows: all functions of the file that have a line.
  func extents(of rows: [FunctionReport], _ profile: borrowing Profile) -> [ClosedRange<Int>] {
    let starts = rows.map { start(of: $0, profile) }
    let sorted = Set(starts).sorted()
    return rows.indices.map { index in
      let (row, start) = (rows[index], starts[index])
      if let end = end(ofBody: row, profile) ?? extent(ofCode: row, profile)?.upperBound {
        return start...max(start, end)
      }
      // Without code of its own or a known copy, it may reach to the next function.
      let next = sorted.partitioningIndex { $0 > start }
      return start...max(start, next < sorted.count ? sorted[next] - 1 : Int(Int32.max) - 1)
    }
  }

  /// The first known line. A counter has that of the body.
  private func start(of row: FunctionReport, _ profile: borrowing Profile) -> Int {
    // Swift's top-level code has no declaration: debug information has the file's first line for it.
    if row.isMain, row.isInSwift {
      return body(of: row, profile) ?? extent(ofCode: row, profile)?.lowerBound ?? row.line
    }
    var first = row.line
    for piece in row.pieces where piece.kind == nil {
      guard let place = Self.place(of: piece, profile), place.line > 0,
        place.file.map(map) == row.file
      else { continue }
      first = min(first, place.line)
    }
    return first
  }

  private func end(ofBody row: FunctionReport, _ profile: borrowing Profile) -> Int? {
    var last: Int?
    for piece in row.pieces {
      guard let lines = piece.build.flatMap({ counted[$0] }),
        let place = Self.place(of: piece, profile),
        let file = place.file, map(file) == row.file,
        let end = lines.end(ofBodyAt: place.line, in: file)
      else { continue }
      last = max(last ?? 0, end)
    }
    return last
  }

  /// The line where its counted body begins.
  private func body(of row: FunctionReport, _ profile: borrowing Profile) -> Int? {
    var first: Int?
    for piece in row.pieces where piece.isCounted && piece.kind == nil {
      guard let line = Self.place(of: piece, profile)?.line else { continue }
      first = min(first ?? line, line)
    }
    return first
  }

  private func extent(
    ofCode row: FunctionReport, _ profile: borrowing Profile
  ) -> ClosedRange<Int>? {
    var extent: ClosedRange<Int>?
    for piece in row.pieces {
      guard let lines = piece.build.flatMap({ code[$0] }),
        let place = Self.place(of: piece, profile),
        let file = place.file, map(file) == row.file,
        let found = lines.extent(ofCode: piece.name, in: file)
      else { continue }
      let known = extent ?? found
      extent =
        min(known.lowerBound, found.lowerBound)...max(known.upperBound, found.upperBound)
    }
    return extent
  }

  private static func place(
    of piece: FunctionReport.Piece, _ profile: borrowing Profile
  ) -> (file: String?, line: Int)? {
    profile.function(of: piece).map { ($0.file, $0.line) }
  }

  /// The functions with code of a piece: itself, or those that have copies.
  private static func functions(with piece: FunctionReport.Piece, _ build: Build) -> [Function] {
    switch piece.code {
    case .guarded, .unguarded: [build.functions[piece.index]]
    case .copies(let hosts, _):
      hosts.compactMap { build.function(ofGuard: $0) }.map { build.functions[$0] }
    case .counted, .dropped: []
    }
  }
}

extension FunctionReport {
  fileprivate var isInSwift: Bool { file?.ends(with: ".swift") == true }
}
