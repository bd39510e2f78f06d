import FirstlightModel

extension Profile {
  /// The profile of a single process and its run.
  ///
  /// - Parameter number: a process id of the profile, or else the process's position by start time,
  ///   counted from 1.
  /// - Throws: `Failure` of kind `data` if no process matches, or several have this process id.
  package func process(_ number: Int) throws(Failure) -> Profile {
    let sorted = processes.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    var chosen = sorted.filter { Int($0.pid) == number }
    if chosen.isEmpty, (1...max(1, sorted.count)).contains(number), !sorted.isEmpty {
      chosen = [sorted[number - 1]]
    }
    guard let process = chosen.first else {
      let pids = sorted.prefix(12).map { "\($0.pid)" }.joined(separator: ", ")
      throw Failure(
        .data, "the profile has no process \(number)",
        advice: "its processes are \(pids)\(sorted.count > 12 ? ", ..." : "")")
    }
    guard chosen.count == 1 else {
      let places = sorted.indices.filter { sorted[$0].pid == process.pid }.map { "\($0 + 1)" }
      throw Failure(
        .data, "\(chosen.count) processes of the profile have the id \(number)",
        advice: "choose one by its number: \(places.joined(separator: ", "))")
    }
    var result = self
    result.processes = [process]
    result.runs = runs.filter { $0.id == process.run }
    result.unlisted = UnlistedRuns()
    return result
  }
}
