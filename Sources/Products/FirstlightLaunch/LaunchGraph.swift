/// The checked dependencies of a plan.
struct LaunchGraph: Sendable {
  /// For each task, the indices of its dependencies.
  let dependencies: [[Int]]
  /// For each task, the indices of its dependents.
  let dependents: [[Int]]
  /// For each task, the length of the longest chain of dependents: the task with the longest starts
  /// first.
  let heights: [Int]

  /// Linear in tasks and dependencies.
  init(_ tasks: [LaunchTask]) throws(LaunchError) {
    var places: [String: Int] = [:]
    for (index, task) in tasks.enumerated() {
      guard places.updateValue(index, forKey: task.name) == nil else {
        throw .duplicate(task: task.name)
      }
    }
    var dependencies: [[Int]] = []
    var dependents = [[Int]](repeating: [], count: tasks.count)
    for (index, task) in tasks.enumerated() {
      var own: [Int] = []
      for name in task.dependencies {
        guard let place = places[name] else {
          throw .missing(dependency: name, of: task.name)
        }
        guard tasks[place].stage <= task.stage else {
          throw .laterStage(dependency: name, of: task.name)
        }
        guard !own.contains(place) else { continue }
        own.append(place)
        dependents[place].append(index)
      }
      dependencies.append(own)
    }
    self.dependencies = dependencies
    self.dependents = dependents
    let order = Self.order(dependencies, dependents)
    guard order.count == tasks.count else {
      throw .cycle(tasks: Self.cycle(dependencies, without: Set(order)).map { tasks[$0].name })
    }
    var heights = [Int](repeating: 0, count: tasks.count)
    for index in order.reversed() {
      heights[index] = dependents[index].map { heights[$0] + 1 }.max() ?? 0
    }
    self.heights = heights
  }

  /// The tasks, each after its dependencies (Kahn 1962); tasks in a cycle are omitted.
  private static func order(_ dependencies: [[Int]], _ dependents: [[Int]]) -> [Int] {
    var open = dependencies.map(\.count)
    var order = open.indices.filter { open[$0] == 0 }
    var next = 0
    while next < order.count {
      for dependent in dependents[order[next]] {
        open[dependent] -= 1
        if open[dependent] == 0 { order.append(dependent) }
      }
      next += 1
    }
    return order
  }

  /// Finds a cycle: each remaining task depends on another remaining one.
  private static func cycle(_ dependencies: [[Int]], without done: Set<Int>) -> [Int] {
    var path: [Int] = []
    var places: [Int: Int] = [:]
    var current = dependencies.indices.first { !done.contains($0) }
    while let task = current, places[task] == nil {
      places[task] = path.count
      path.append(task)
      current = dependencies[task].first { !done.contains($0) }
    }
    guard let current, let start = places[current] else { return path }
    return Array(path[start...])
  }
}
