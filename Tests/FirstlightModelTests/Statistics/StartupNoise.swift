import Glibc

/// Start-up times as machines give them: skewed, with now and then a run that something held up. The
/// same for the same seed (splitmix64, Steele, Lea and Flood, OOPSLA 2014).
struct StartupNoise {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  private mutating func uniform() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    value ^= value >> 31
    return (Double(value >> 11) + 0.5) / 9_007_199_254_740_992
  }

  /// - Parameter spread: of the logarithm, about the share by which a time varies.
  mutating func times(_ count: Int, around median: Double, spread: Double) -> [Double] {
    (0..<count).map { _ in
      let normal = sqrt(-2 * log(uniform())) * cos(2 * .pi * uniform())
      let heldUp = uniform() < 0.05 ? 1 + 2 * uniform() : 1
      return median * exp(spread * normal) * heldUp
    }
  }
}
