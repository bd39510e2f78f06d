/// The outcome of a plan's tasks, and the critical path to ready.
public struct LaunchReport: Sendable, CustomStringConvertible {
  /// The outcome of one task.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The name of the task.
    public var name: String
    /// The stage of the task.
    public var stage: LaunchTask.Stage
    /// Time from the start of the plan to the start of the task; nil if it has not started.
    public var start: Duration?
    /// Time from start to end; nil if the task has not ended.
    public var duration: Duration?
    /// The outcome so far.
    public var outcome: Outcome
    /// What the task needs to begin, for people.
    var waitsFor: String

    var end: Duration? {
      guard let start, let duration else { return nil }
      return start + duration
    }

    /// One line: `launch task "cache" failed: ...`.
    public var description: String {
      if case .failed(let error) = outcome, let error = error as? LaunchError {
        return error.description  // the message names the task
      }
      return "launch task \"\(name)\" \(outcome.text.isEmpty ? "is done" : outcome.text)"
    }
  }

  /// The outcome of a task.
  public enum Outcome: Sendable {
    case done
    /// The task threw an error or exceeded its timeout. The app continues.
    case failed(any Error)
    case cancelled
    /// A dependency failed.
    case skipped
    /// The task is waiting or running.
    case pending
  }

  /// The tasks, in the order of the plan.
  public internal(set) var entries: [Entry]
  /// Time from the start of the plan until all tasks of the first stage were done; nil before.
  public internal(set) var readyAfter: Duration?
  let dependencies: [[Int]]

  /// The critical path to ready, in order: the task that ended last, preceded by its dependency that
  /// ended last, and so on. To be ready sooner, shorten one of these tasks or remove a dependency.
  public var criticalPath: [Entry] { criticalIndices.map { entries[$0] } }

  private var criticalIndices: [Int] {
    func last(_ indices: some Sequence<Int>) -> Int? {
      indices.filter { entries[$0].end != nil }.max {
        // If two ended at the same time, the first in the plan counts.
        let (a, b) = (entries[$0].end ?? .zero, entries[$1].end ?? .zero)
        return a == b ? $0 > $1 : a < b
      }
    }
    var path: [Int] = []
    var current = last(entries.indices.filter { entries[$0].stage == .beforeReady })
    while let index = current {
      path.append(index)
      current = last(dependencies[index])
    }
    return path.reversed()
  }

  /// The critical path and all tasks as tables, with times in milliseconds.
  public var description: String {
    var text = readyAfter.map { "Ready after \(milliseconds($0)) ms" } ?? "Not ready"
    text += ". The critical path, ms:\n"
    var end = Duration.zero
    var rows: [[String]] = []
    for entry in criticalPath {
      let wait = (entry.start ?? end) - end
      // Shorter waits always occur: tasks move between threads.
      let hasWaited = wait >= .milliseconds(1)
      rows.append([
        entry.name, milliseconds(entry.duration ?? .zero),
        hasWaited ? "waited \(milliseconds(wait)) for \(entry.waitsFor)" : "",
      ])
      end = entry.end ?? end
    }
    text += Self.table(rows, numbers: 1...1)
    text += "All tasks, ms:\n"
    text += Self.table(
      [["", "stage", "start", "took", ""]]
        + entries.map { entry in
          [
            entry.name, entry.stage.text, entry.start.map(milliseconds) ?? "-",
            entry.duration.map(milliseconds) ?? "-", entry.outcome.text,
          ]
        }, numbers: 2...3)
    text.removeLast()  // the caller's print ends the last line
    return text
  }

  /// - Parameter numbers: the right-aligned columns.
  private static func table(_ rows: [[String]], numbers: ClosedRange<Int>) -> String {
    let columns = rows.first?.count ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        line += "  " + (numbers.contains(column) ? blanks + cell : cell + blanks)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

extension LaunchTask.Stage {
  fileprivate var text: String {
    switch self {
    case .beforeReady: "before ready"
    case .afterReady: "after ready"
    case .idle: "idle"
    }
  }
}

extension LaunchReport.Outcome {
  fileprivate var text: String {
    switch self {
    case .done: ""
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case .skipped: "skipped: a dependency failed"
    case .pending: "pending"
    }
  }
}

/// A duration in milliseconds, with one decimal.
func milliseconds(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let tenths = seconds * 10_000 + (attoseconds + 50_000_000_000_000) / 100_000_000_000_000
  return "\(tenths / 10).\(abs(tenths % 10))"
}
