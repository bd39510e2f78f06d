import FirstlightModel
import ReportFormats
import StartupComparison
import TextFormatting

/// One cold start of each of two binaries, to find out whether their cold starts can be set against each
/// other.
struct ColdProbe {
  let binaries: [MeasuredBinary]
  let files: ColdFiles
  let meter: StartupMeter

  /// What keeps them from it; nil: nothing that is known.
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
