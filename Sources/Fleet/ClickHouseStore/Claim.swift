import FirstlightModel
import FleetModel

/// A claim about a build's number of guards: rows with different claims are kept apart.
struct Claim: Hashable, Comparable {
  var build: BuildKey
  var guards: Int

  init(_ build: BuildKey, guards: Int) {
    self.build = build
    self.guards = guards
  }

  init(_ key: StateKey) { self.init(key.build, guards: key.guardCount) }

  /// One word, as in `samples.builds`.
  var text: String { "\(build.buildID)/\(build.recorder.rawValue)/\(guards)" }

  /// Nil if the text is invalid.
  init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let buildID = BuildID(parts[0]),
      let recorder = Recorder(rawValue: parts[1]), let guards = Int(parts[2])
    else { return nil }
    self.init(BuildKey(buildID: buildID, recorder: recorder), guards: guards)
  }

  static func < (a: Claim, b: Claim) -> Bool { (a.build, a.guards) < (b.build, b.guards) }
}

extension FleetTrace {
  /// The claim about the trace's program.
  var programClaim: Claim? { programImage.map { Claim($0.build, guards: $0.guardCount) } }
}

extension RowWriter {
  /// The columns build_id, recorder and guards of the next row.
  mutating func begin(_ claim: Claim) {
    begin(claim.build)
    add(UInt32(clamping: claim.guards))
  }

  /// The columns build_id and recorder of the next row.
  mutating func begin(_ build: BuildKey) {
    row()
    add(build.buildID.description)
    add(build.recorder.rawValue)
  }

  mutating func add(_ day: FleetDay) { add(UInt16(clamping: day.number)) }
}

extension RowReader {
  /// The columns build_id and recorder.
  mutating func build() throws(Failure) -> BuildKey {
    let (id, name) = (try text(), try text())
    guard let buildID = BuildID(id), let recorder = Recorder(rawValue: name) else {
      throw Failure(.data, "damaged ClickHouse store: build \"\(id)\", recorder \"\(name)\"")
    }
    return BuildKey(buildID: buildID, recorder: recorder)
  }

  /// The columns build_id, recorder and guards.
  mutating func claim() throws(Failure) -> Claim {
    Claim(try build(), guards: try number(UInt32.self))
  }

  mutating func day() throws(Failure) -> FleetDay {
    FleetDay(number: Int32(try integer(UInt16.self)))
  }

  /// The columns build_id, recorder, guards, day, version and labels.
  mutating func stateKey() throws(Failure) -> StateKey {
    let claim = try claim()
    let day = try day()
    guard let labels = FleetLabels(version: try text(), text: try text()) else {
      throw Failure(.data, "damaged ClickHouse store: labels of build \(claim.build.buildID.short)")
    }
    return StateKey(
      series: SeriesKey(build: claim.build, day: day, labels: labels), guardCount: claim.guards)
  }
}
