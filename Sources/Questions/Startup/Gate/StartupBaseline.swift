import FirstlightModel

/// A measured start-up, kept for comparison with later ones.
package struct StartupBaseline: Sendable, Codable {
  /// The version of the file format. 2: CPU times are named `cpuMilliseconds`.
  package var firstlightStartup = Self.form
  package var binary: Binary
  package var arguments: [String]
  /// The end of the measured start-up, as on a command line.
  package var until: String
  /// The program's exit status; nil if the measurement stopped earlier.
  package var exitStatus: Int32?
  package var cold: Bool
  /// Whether the program was pinned to one CPU.
  package var pinned: Bool
  package var machine: Machine
  package var inventory: StartupInventory
  /// How far the program followed a given order; nil without an order.
  package var order: Order?
  /// By name of the metric (`StartupMetric.rawValue`): one value for each run.
  package var runs: [TextBytes: [Double]]
  /// Milliseconds of the reference work before each run. They show whether the machine is still as fast.
  package var reference: [Double]
  /// Milliseconds of CPU time of the reference work.
  package var referenceCPUTime: [Double]

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

  /// The facts about a machine that times depend on. The host's name is not among them, because the names of
  /// build machines change.
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

    /// The differences, for people: "kernel Linux 6.1, was Linux 5.10".
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
    binary: Binary, conditions: MeasuringConditions, exitStatus: Int32?,
    inventory: StartupInventory, order: Order?, runs: [TextBytes: [Double]], reference: [Double],
    referenceCPUTime: [Double]
  ) {
    self.binary = binary
    arguments = conditions.arguments
    until = conditions.until
    self.exitStatus = exitStatus
    cold = conditions.isCold
    pinned = conditions.processor != nil
    machine = Machine(conditions.host)
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

  /// The error in a baseline that another program may have written; nil: none.
  package var problem: String? {
    let numbers = runs.values.flatMap { $0 } + reference + referenceCPUTime
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
