import Glibc

/// The Mann-Whitney U test: do values of one sample tend to be larger than those of another?
///
/// The test assumes no distribution: start-up times follow none of the usual ones. For up to 60
/// values in all, the probability is exact, ties included: it counts all ways to divide the
/// observed ranks into two samples of these sizes. For more, it is the normal approximation with
/// corrections for ties and continuity. Mann and Whitney, Annals of Mathematical Statistics 18
/// (1947); for ties: Lehmann, Nonparametrics, chapter 1.
package struct RankTest: Hashable, Sendable {
  /// Number of pairs (a, b) with a > b; a tie counts as half a pair.
  package let u: Double
  /// Two-sided probability of a difference this large if there is none; 1 if a sample is empty.
  package let p: Double
  package let isExact: Bool
  /// Share of pairs with b > a minus the share with a > b: -1 ... 1 (Cliff's delta).
  package let effect: Double

  /// Maximum number of values for the exact test, which takes about `count`³ steps.
  static let exactLimit = 60

  package init(_ a: Sample, _ b: Sample) {
    let sizes = (a.count, b.count)
    guard sizes.0 > 0, sizes.1 > 0 else {
      (u, p, isExact, effect) = (0, 1, true, 0)
      return
    }
    let ranks = DoubledRanks(a.sorted, b.sorted)
    let pairs = Double(sizes.0 * sizes.1)
    u = Double(ranks.sumOfFirst - sizes.0 * (sizes.0 + 1)) / 2
    effect = 1 - 2 * u / pairs
    isExact = sizes.0 + sizes.1 <= Self.exactLimit
    p = isExact ? ranks.exactProbability() : ranks.normalProbability()
  }
}

extension RankTest {
  /// The 95% confidence interval of the difference from a to b: the shifts of b without which this test, in its
  /// normal approximation, finds no difference. Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963).
  /// - Returns: nil if there are too few values for any bound.
  package static func shift(from a: Sample, to b: Sample) -> ClosedRange<Double>? {
    let (m, n) = (Double(a.count), Double(b.count))
    let deviation = (m * n * (m + n + 1) / 12).squareRoot()
    let place = Int((m * n / 2 - 1.96 * deviation).rounded(.down))
    guard place >= 1 else { return nil }
    let differences = a.sorted.flatMap { first in b.sorted.map { $0 - first } }.sorted()
    return differences[place - 1]...differences[differences.count - place]
  }
}

/// Ranks of the values of two samples combined, doubled so that the ranks of ties are integers.
private struct DoubledRanks {
  /// The ranks of all values, rising.
  private var ranks: [Int] = []
  private let firstCount: Int
  /// Sum over the first sample's values.
  private(set) var sumOfFirst = 0
  /// Sum of t³ - t over groups of t equal values.
  private var ties = 0.0

  init(_ first: [Double], _ second: [Double]) {
    firstCount = first.count
    let all = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
    var start = 0
    while start < all.count {
      var end = start + 1
      while end < all.count, all[end].0 == all[start].0 { end += 1 }
      // The mean of the places start + 1 ... end, doubled.
      let rank = start + 1 + end
      for value in all[start..<end] {
        ranks.append(rank)
        if value.1 { sumOfFirst += rank }
      }
      let size = Double(end - start)
      ties += size * size * size - size
      start = end
    }
  }

  private var secondCount: Int { ranks.count - firstCount }

  /// Share of all choices of `firstCount` ranks whose sum is at least as far from the mean.
  func exactProbability() -> Double {
    let total = ranks.reduce(0, +)
    // ways[k][s]: choices of k ranks with sum s. Doubles: C(60, 30) is below 2^57, and the error of
    // a rounded count is far below what any decision needs.
    var ways = [[Double]](
      repeating: [Double](repeating: 0, count: total + 1), count: firstCount + 1)
    ways[0][0] = 1
    var reached = 0
    for (index, rank) in ranks.enumerated() {
      for count in stride(from: min(index + 1, firstCount), through: 1, by: -1) {
        for sum in stride(from: reached, through: 0, by: -1) where ways[count - 1][sum] > 0 {
          ways[count][sum + rank] += ways[count - 1][sum]
        }
      }
      reached += rank
    }
    // Multiplied by ranks.count, since the mean is firstCount * total / ranks.count.
    func distance(_ sum: Int) -> Int { abs(sum * ranks.count - firstCount * total) }
    let observed = distance(sumOfFirst)
    var extreme = 0.0
    var all = 0.0
    for (sum, count) in ways[firstCount].enumerated() where count > 0 {
      all += count
      if distance(sum) >= observed { extreme += count }
    }
    return min(1, extreme / all)
  }

  func normalProbability() -> Double {
    let first = Double(firstCount)
    let second = Double(secondCount)
    let count = first + second
    let variance = first * second / 12 * (count + 1 - ties / (count * (count - 1)))
    guard variance > 0 else { return 1 }
    let u = Double(sumOfFirst) / 2 - first * (first + 1) / 2
    let distance = max(0, abs(u - first * second / 2) - 0.5)
    return min(1, erfc(distance / (2 * variance).squareRoot()))
  }
}

/// Corrects for several tests at once, which find more differences by chance than one test does.
package enum FalseDiscovery {
  /// Adjusts probabilities so that, of all differences called real at a level, at most that share
  /// is expected to be false (Benjamini and Hochberg, Journal of the Royal Statistical Society B
  /// 57, 1995). If no difference is real, the level is the probability of calling any real.
  ///
  /// - Returns: the adjusted probabilities in the same order, none smaller than before.
  package static func adjusted(_ probabilities: [Double]) -> [Double] {
    let order = probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }
    var adjusted = probabilities
    var smallest = 1.0
    for (place, index) in order.enumerated() {
      let rank = Double(probabilities.count - place)
      smallest = min(smallest, probabilities[index] * Double(probabilities.count) / rank)
      adjusted[index] = smallest
    }
    return adjusted
  }
}
