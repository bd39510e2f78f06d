import FirstlightModel
import Glibc
import StartupReport
import TextFormatting

/// The files whose pages are dropped before each cold run, so that a start-up reads them from disk.
struct ColdFiles {
  let dropped: [FileCache]
  /// Files with pages that stay in memory, because other processes have them mapped, such as the C library's.
  /// All other pages of these files are dropped.
  let kept: [FileCache]
  let dropsAllCaches: Bool

  var all: [FileCache] { dropped + kept }

  /// - Parameter mapped: the files that the binaries had mapped at readiness. If empty, only the binaries' own
  ///   files are dropped.
  init(_ binaries: [MeasuredBinary], mapped: [String], dropsAllCaches: Bool) {
    self.dropsAllCaches = dropsAllCaches
    var paths: Set<String> = []
    var dropped = binaries.map(\.cache).filter { paths.insert($0.path).inserted }
    var kept: [FileCache] = []
    for path in Set(mapped).subtracting(paths).sorted() {
      guard let cache = try? FileCache(path) else { continue }
      if !cache.isInMemoryOnly, cache.drop() == 0 {
        dropped.append(cache)
      } else {
        kept.append(cache)
      }
    }
    self.dropped = dropped
    self.kept = kept
  }

  /// The reason why a binary cannot be started cold; nil if it can. Drops the binary's pages.
  func obstacle(_ binary: MeasuredBinary) throws(Failure) -> String? {
    if dropsAllCaches { try FileCache.dropAll() }
    let left = binary.cache.isInMemoryOnly ? binary.cache.pageCount : binary.cache.drop()
    if left == 0 { return nil }
    let why =
      binary.cache.isInMemoryOnly
      ? "it is in a memory file system"
      : "\(left) of its pages stay in memory: another process has them mapped or locked, or the file "
        + "is not ours"
    return "\(binary.title) cannot be started cold: \(why)"
  }

  /// Drops the pages of all files.
  ///
  /// - Returns: the number of remaining pages for each file that should have none.
  func drop() throws(Failure) -> [String: Int] {
    if dropsAllCaches { try FileCache.dropAll() }
    for file in kept { file.drop() }
    var left: [String: Int] = [:]
    for file in dropped {
      let count = file.drop()
      if count > 0 { left[file.path] = count }
    }
    return left
  }
}

/// One cold start of each of two binaries, which shows whether their cold starts can be compared.
struct ColdProbe {
  let binaries: [MeasuredBinary]
  let files: ColdFiles
  let meter: StartupMeter

  /// The reason why cold starts cannot be compared; nil: none is known.
  func unevenness() throws(Failure) -> String? {
    var starts: [StartupMeter.Observation] = []
    for binary in binaries {
      _ = try files.drop()
      starts.append(try meter.observe(binary, files: files.all))
    }
    guard starts.count == 2 else { return nil }
    func foundAlone(_ side: Int) -> Int {
      starts[side].found.filter { !starts[1 - side].mappedFiles.contains($0.key) }
        .values.reduce(0, +)
    }
    let evenness = ColdEvenness(
      foundOnlyByA: foundAlone(0), starts[0].run, foundOnlyByB: foundAlone(1), starts[1].run)
    if evenness.isEven { return nil }
    let sides = zip(binaries, starts).map { binary, start in
      "\(binary.letter ?? binary.path) has \(Self.text(start.found))"
    }
    return "cold starts are not comparable, because other processes have libraries mapped: "
      + sides.joined(separator: ", ")
  }

  private static func text(_ found: [String: Int]) -> String {
    let all = CountText.text(found.values.reduce(0, +), "page") + " of its files in memory"
    let most = found.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return all
      + (most.map { " (\(CountText.number($0.value)) of \(BaseName.of($0.key)))" } ?? "")
  }
}
