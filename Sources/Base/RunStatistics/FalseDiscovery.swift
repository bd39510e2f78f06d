/// Several tests at once find differences by chance more often than one does.
package enum FalseDiscovery {
  /// Adjusts probabilities so that of all differences called real at a level, at most that share is
  /// expected not to be (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57,
  /// 1995). If none is real, the level is the chance that any is called so.
  ///
  /// - Returns: one for each, in their order; none smaller than it was.
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
