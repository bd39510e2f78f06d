import Glibc
import Ordering

/// Traces as programs make them: phases, of which a run takes one of several variants each, made of
/// modules whose functions call each other in much the same order in each run; threads that
/// interleave, functions that a run skips, and rare ones that only it calls.
struct SyntheticTraces {
  var functions: Int
  var traces: Int
  var seed: UInt64
  var pageSize: UInt32 = 4096

  func problem() -> OrderingProblem {
    var random = SplitMix(state: seed)
    // Sizes: log-normal, most small, a few of many kilobytes, all multiples of 16.
    let sizes = (0..<functions).map { _ in
      UInt32(min(65_536, max(16, 110 * exp(1.1 * normal(&random)))) / 16) * 16
    }
    // Link order: modules of 20 to 200 functions, of which a run calls a few.
    var modules: [[Int32]] = []
    var next = 0
    while next < functions {
      let count = min(functions - next, Int.random(in: 20...200, using: &random))
      modules.append((next..<next + count).map(Int32.init))
      next += count
    }
    // Phases: each with variants; a variant is a sequence of stretches of modules.
    let phaseCount = Int.random(in: 6...12, using: &random)
    var phases: [[[Int32]]] = []
    for _ in 0..<phaseCount {
      let core = sequence(modules, share: 0.12 / Double(phaseCount), &random)
      let variants = (0..<Int.random(in: 1...8, using: &random)).map { _ in
        interleave(core, sequence(modules, share: 0.25 / Double(phaseCount), &random), &random)
      }
      phases.append(variants)
    }
    let made = (0..<traces).map { _ in trace(phases, &random) }
    return OrderingProblem(sizes: sizes, traces: made, pageSize: pageSize)
  }

  private func sequence(
    _ modules: [[Int32]], share: Double, _ random: inout SplitMix
  ) -> [Int32] {
    let wanted = max(4, Int(share * Double(functions)))
    var result: [Int32] = []
    while result.count < wanted {
      let module = modules.randomElement(using: &random)!
      let density = Double.random(in: 0.1...0.6, using: &random)
      var own = module.filter { _ in Double.random(in: 0..<1, using: &random) < density }
      // Who calls whom has little to do with who was compiled after whom.
      for _ in 0..<own.count / 2 {
        own.swapAt(
          Int.random(in: 0..<own.count, using: &random),
          Int.random(in: 0..<own.count, using: &random))
      }
      result += own
    }
    return result
  }

  /// Two sequences in stretches of random length, as of two threads.
  private func interleave(_ a: [Int32], _ b: [Int32], _ random: inout SplitMix) -> [Int32] {
    var result: [Int32] = []
    var rest = (a[...], b[...])
    while !rest.0.isEmpty || !rest.1.isEmpty {
      let count = Int.random(in: 1...30, using: &random)
      if rest.1.isEmpty || (!rest.0.isEmpty && Bool.random(using: &random)) {
        result += rest.0.prefix(count)
        rest.0 = rest.0.dropFirst(count)
      } else {
        result += rest.1.prefix(count)
        rest.1 = rest.1.dropFirst(count)
      }
    }
    return result
  }

  private func trace(_ phases: [[[Int32]]], _ random: inout SplitMix) -> [Int32] {
    var calls: [Int32] = []
    var seen: Set<Int32> = []
    for variants in phases {
      // Variants differ in popularity, and a run sometimes skips a phase.
      if Double.random(in: 0..<1, using: &random) < 0.05 { continue }
      let pick = Int(
        Double(variants.count) * pow(Double.random(in: 0..<1, using: &random), 2))
      var stretch = variants[min(pick, variants.count - 1)]
      for index in stretch.indices where Double.random(in: 0..<1, using: &random) < 0.1 {
        let other = min(stretch.count - 1, index + Int.random(in: 1...40, using: &random))
        stretch.swapAt(index, other)
      }
      for function in stretch {
        if Double.random(in: 0..<1, using: &random) < 0.04 { continue }
        if seen.insert(function).inserted { calls.append(function) }
        if Double.random(in: 0..<1, using: &random) < 0.01 {
          let rare = Int32.random(in: 0..<Int32(functions), using: &random)
          if seen.insert(rare).inserted { calls.append(rare) }
        }
      }
    }
    return calls
  }

  private func normal(_ random: inout SplitMix) -> Double {
    let a = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)
    return sqrt(-2 * log(a)) * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}

/// Repeatable random numbers (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
