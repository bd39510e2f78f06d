import FirstlightModel
import RunStatistics

/// A start-up as it was measured once, to set later ones against.
package struct StartupBaseline: Sendable, Codable {
  /// The form this is written in. 2: CPU times by that name.
  package var firstlightStartup = Self.form
  package var binary: Binary
  package var arguments: [String]
  /// The moment it was measured up to, as on a command line.
  package var until: String
  /// With which it ended; nil if it was not measured up to its end.
  package var exitStatus: Int32?
  package var cold: Bool
  /// Whether it ran on one processor only.
  package var pinned: Bool
  package var machine: Machine
  package var inventory: StartupInventory
  /// The share of an order's names that lay in order; nil: none was given.
  package var order: Order?
  /// By name of the measure (`Measure.rawValue`), one value for each run.
  package var runs: [String: [Double]]
  /// Milliseconds that the reference work took before each run: shows whether the machine is as fast as it
  /// was.
  package var reference: [Double]
  /// Milliseconds of CPU time of that; nil: written before this was measured.
  package var referenceCPUTime: [Double]?

  package static let form = 2

  package struct Binary: Hashable, Sendable, Codable {
    package var path: String
    package var buildID: String?

    package init(path: String, buildID: String?) {
      self.path = path
      self.buildID = buildID
    }
  }

  package struct Order: Hashable, Sendable, Codable {
    package var path: String
    package var hitRate: Double

    package init(path: String, hitRate: Double) {
      self.path = path
      self.hitRate = hitRate
    }
  }

  /// What times depend on; the host's name is not among it, since those of build machines change.
  package struct Machine: Hashable, Sendable, Codable {
    package var kernel: String
    package var architecture: String
    package var processor: String
    package var cores: Int

    package init(_ host: Host) {
      kernel = host.kernel
      architecture = host.architecture
      processor = host.processor
      cores = host.cores
    }

    /// What differs, for people: "kernel Linux 6.1, was Linux 5.10".
    package func differences(since old: Machine) -> [String] {
      var found: [String] = []
      func compare(_ what: String, _ new: String, _ old: String) {
        if new != old { found.append("\(what) \(new), was \(old)") }
      }
      compare("kernel", kernel, old.kernel)
      compare("architecture", architecture, old.architecture)
      compare("processor", processor, old.processor)
      compare("cores", "\(cores)", "\(old.cores)")
      return found
    }
  }

  package init(
    binary: Binary, arguments: [String], until: String, exitStatus: Int32?, cold: Bool,
    pinned: Bool, machine: Machine, inventory: StartupInventory, order: Order?,
    runs: [String: [Double]],
    reference: [Double], referenceCPUTime: [Double]? = nil
  ) {
    self.binary = binary
    self.arguments = arguments
    self.until = until
    self.exitStatus = exitStatus
    self.cold = cold
    self.pinned = pinned
    self.machine = machine
    self.inventory = inventory
    self.order = order
    self.runs = runs
    self.reference = reference
    self.referenceCPUTime = referenceCPUTime
  }

  package func sample(_ metric: StartupMetric) -> Sample { Sample(runs[metric.rawValue] ?? []) }

  enum CodingKeys: String, CodingKey {
    case firstlightStartup, binary, arguments, until, exitStatus, cold, pinned, machine, inventory
    case order, runs, reference
    case referenceCPUTime = "referenceCpuMilliseconds"
  }

  /// What is wrong with it, if it did not come from us; nil: nothing.
  package var problem: String? {
    let numbers = runs.values.flatMap { $0 } + reference + (referenceCPUTime ?? [])
    if numbers.count > 1_000_000 { return "too many runs" }
    if numbers.contains(where: { !$0.isFinite || $0 < 0 || $0 > 1e15 }) {
      return "an impossible number"
    }
    if let rate = order?.hitRate, !(0...1).contains(rate) { return "an impossible hit rate" }
    if inventory.relocations.values.contains(where: { !(0...1_000_000_000).contains($0) }) {
      return "an impossible number of relocations"
    }
    return nil
  }
}
