import FirstlightModel

/// The file names under which runs loaded a build, each with its runs and a path.
///
/// A copy of a binary under another name is the same build, so a name identifies none.
package struct ImageNames: Hashable, Sendable {
  /// A name's use.
  package struct Use: Hashable, Sendable {
    /// The file name; on the host itself, a path: the first one in order.
    package var path: String
    package var runs: Int
  }

  /// By file name.
  package private(set) var uses: [TextBytes: Use] = [:]

  /// Most names in a row, and in a list of builds: those of most runs.
  package static let limit = 16

  package init() {}

  package init(_ path: String, runs: Int) { add(path, runs: runs) }

  package mutating func add(_ path: String, runs: Int) {
    let name = BaseName.of(path)
    // A path of slashes names no file.
    guard let first = name.utf8.first, first != UInt8(ascii: "/") else { return }
    guard let known = uses[name] else {
      uses[name] = Use(path: path, runs: runs)
      return
    }
    uses[name] = Use(
      path: known.path.precedesInBytes(path) ? known.path : path,
      runs: known.runs.addingClamped(runs))
  }

  package mutating func add(_ other: ImageNames) {
    for use in other.uses.values { add(use.path, runs: use.runs) }
  }

  /// Takes the runs of replaced names away. The names stay.
  package mutating func subtract(_ other: ImageNames) {
    for use in other.uses.values { add(use.path, runs: -use.runs) }
  }

  /// The names, that of most runs first.
  package var sorted: [String] {
    uses.sorted { ($1.value.runs, $0.key) < ($0.value.runs, $1.key) }.map(\.key.text)
  }

  /// The name of most runs; empty if there is none.
  package var first: String {
    uses.min { ($1.value.runs, $0.key) < ($0.value.runs, $1.key) }?.key.text ?? ""
  }

  /// The paths, in the order of `sorted`.
  package var paths: [String] { sorted.compactMap { uses[$0]?.path } }

  /// At most `limit` names.
  package var limited: ImageNames {
    guard uses.count > Self.limit else { return self }
    var result = ImageNames()
    for name in sorted.prefix(Self.limit) { result.uses[name] = uses[name] }
    return result
  }

  /// Adds names of further runs, and keeps at most `limit`: a new name takes the place of the rarest, and its runs.
  ///
  /// So a name of many runs stays, however many others came before it (Metwally, Agrawal, El Abbadi: Efficient
  /// computation of frequent and top-k elements in data streams, 2005).
  package mutating func count(_ other: ImageNames) {
    for name in other.sorted {
      guard let use = other.uses[name] else { continue }
      if uses[name] == nil, uses.count >= Self.limit, let rarest = sorted.last {
        let runs = uses.removeValue(forKey: TextBytes(rarest))?.runs ?? 0
        uses[name] = Use(path: use.path, runs: runs.addingClamped(use.runs))
      } else {
        add(use.path, runs: use.runs)
      }
    }
  }

  /// The same names without folders, since paths do not leave the host.
  package var withoutPaths: ImageNames {
    var result = self
    for name in uses.keys { result.uses[name]?.path = name.text }
    return result
  }
}
