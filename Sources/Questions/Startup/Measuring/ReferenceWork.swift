import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// Fixed work of the kinds that start-ups do: computing, allocating memory, starting a small program. Its
/// duration shows the present speed of the machine.
struct ReferenceWork {
  let pin: CPUPin?

  private static let steps = 1_500_000
  private static let bytes = 4 << 20
  private static let program = "/bin/true"

  /// Milliseconds of one repetition: elapsed time, and CPU time, which does not include waiting for others.
  struct Times {
    var elapsed: Double
    var processor: Double
  }

  func measure() -> Times {
    guard let pin else { return Self.run() }
    return pin.hold { Self.run() }
  }

  private static func run() -> Times {
    let start = (elapsed: Clock.monotonic(), processor: Clock.thread())
    var value: UInt64 = 1
    for _ in 0..<steps { value = value &* 6_364_136_223_846_793_005 &+ (value >> 33) }
    let memory = mmap(
      nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if let memory, memory != MAP_FAILED {
      for page in stride(from: 0, to: bytes, by: Int(PageSize.reported)) {
        memory.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: page, as: UInt8.self)
      }
      munmap(memory, bytes)
    }
    var child = 0.0
    // Libraries that the environment preloads into the measured program are not part of the work.
    if let program = try? MeasuredProgram(
      path: program, arguments: [program], environment: ProgramEnvironment(["LD_PRELOAD": ""]),
      traced: false)
    {
      while program.nextChange(wait: true) != .ended {}
      child = program.ending?.usage.cpuTime ?? 0
    }
    return Times(
      elapsed: (Clock.monotonic() - start.elapsed) * 1000,
      processor: (Clock.thread() - start.processor) * 1000 + child)
  }
}
