import SpoolIntake

/// Room for batches that were read and are being written: so much memory and so many of them. Whoever finds
/// none waits, in the order in which they came.
actor BatchRoom {
  /// Bytes; see `BatchWeight`.
  private let weightLimit: Int
  private var weight = 0
  private var count = 0
  private var waiting:
    [(weight: Int, isAlone: Bool, continuation: CheckedContinuation<Void, Never>)] =
      []

  init(weightLimit: Int) { self.weightLimit = weightLimit }

  /// Takes room; one that is larger than all room has it to itself.
  /// - Parameter isAlone: no other is to be there, however small.
  func take(_ weight: Int, alone isAlone: Bool = false) async {
    if waiting.isEmpty, fits(weight, isAlone) {
      add(weight, isAlone)
      return
    }
    await withCheckedContinuation { waiting.append((weight, isAlone, $0)) }
  }

  func give(_ weight: Int, alone isAlone: Bool = false) {
    self.weight -= isAlone ? max(weight, weightLimit) : weight
    count -= 1
    while let next = waiting.first, fits(next.weight, next.isAlone) {
      waiting.removeFirst()
      add(next.weight, next.isAlone)
      next.continuation.resume()
    }
  }

  private func fits(_ weight: Int, _ isAlone: Bool) -> Bool {
    if count == 0 { return true }
    return !isAlone && count < WorkJournal.places - 1 && self.weight + weight <= weightLimit
  }

  private func add(_ weight: Int, _ isAlone: Bool) {
    self.weight += isAlone ? max(weight, weightLimit) : weight
    count += 1
  }
}
