/// Tasks that can start, the one with the longest chain of dependents first.
struct LaunchQueue {
  let heights: [Int]
  /// Sorted, the next one last.
  private var tasks: [Int] = []

  init(heights: [Int]) { self.heights = heights }

  mutating func add(_ task: Int) {
    // Of two of one height the first of the plan.
    func isBefore(_ a: Int, _ b: Int) -> Bool { (heights[a], -a) < (heights[b], -b) }
    var low = 0
    var high = tasks.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(tasks[middle], task) { low = middle + 1 } else { high = middle }
    }
    tasks.insert(task, at: low)
  }

  mutating func next() -> Int? { tasks.popLast() }
}
