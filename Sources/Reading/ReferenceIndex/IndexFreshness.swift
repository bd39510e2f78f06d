import FirstlightModel
import SystemSupport

/// Checks whether an index matches the source and the recorded build.
package struct IndexFreshness {
  /// Returns a file's modification time, nanoseconds since 1970; nil if the file does not exist.
  private let time: @Sendable (String) -> Int?

  /// Whether a file has the contents that it had when the program was recorded.
  private let isSame: (String) -> Bool

  /// - Parameters:
  ///   - time: returns a file's modification time.
  ///   - isSame: whether a file has the contents that it had when the program was recorded. Contents decide
  ///     before times.
  package init(
    time: @escaping @Sendable (String) -> Int? = FileTime.changed,
    isSame: @escaping (String) -> Bool = { _ in false }
  ) {
    self.time = time
    self.isSame = isSame
  }

  /// Fails with `.data` if sources were changed after they were indexed, or after the binary was
  /// built. A unit without object file counts only if the binary has its source: such units usually
  /// remain from other builds.
  ///
  /// - Parameters:
  ///   - store: the store's path, for messages.
  ///   - recorded: source files of the recorded binaries.
  ///   - built: link time of the recorded binary; nil if unknown.
  ///   - ended: end of the recording: units that were written later may have other contents.
  package func check(
    _ units: [IndexUnit], store: String, recorded: Set<TextBytes> = [], built: Int?, ended: Int = 0
  ) throws(Failure) {
    var changed: [String] = []
    var isAfterBuild = false
    var present = 0
    var checked = 0
    for unit in units where !unit.isSystem && !unit.mainFile.isEmpty {
      checked += 1
      guard let source = time(unit.mainFile) else { continue }
      present += 1
      guard recorded.contains(unit.mainFile) || time(unit.outputFile) != nil else { continue }
      if unit.time <= ended, max(unit.time, built ?? 0) < source, isSame(unit.mainFile) {
        continue
      }
      if source > unit.time {
        changed.append(unit.mainFile)
      } else if let built, source > built {
        changed.append(unit.mainFile)
        isAfterBuild = true
      }
    }
    guard checked > 0 else {
      throw Failure(
        .data, "\(store): the index covers no source file of this project",
        advice: "build with -index-store-path, or name another index")
    }
    guard present > 0 else {
      throw Failure(
        .data, "\(store): none of the \(checked) indexed source files is here",
        advice: "name the index of a build on this machine")
    }
    guard let first = Set(texts: changed).min() else { return }
    let others = Set(texts: changed).count - 1
    let more = others > 0 ? " and \(others) more" : ""
    throw Failure(
      .data,
      "\(store): \(first)\(more) changed after "
        + (isAfterBuild ? "the binary was built" : "the build that wrote the index"),
      advice: "build and record again")
  }
}
