/// What became of a plan's tasks, and what the app waited for.
public struct LaunchReport: Sendable, CustomStringConvertible {
  /// One task.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The task's.
    public var name: String
    /// The task's.
    public var stage: LaunchTask.Stage
    /// Since the plan was started; nil: it was not.
    public var start: Duration?
    /// From start to end; nil: it has not ended, or not begun.
    public var duration: Duration?
    /// How it ended.
    public var outcome: Outcome

    var end: Duration? {
      guard let start, let duration else { return nil }
      return start + duration
    }

    /// One line: `launch task "cache" failed: ...`.
    public var description: String {
      if case .failed(let error) = outcome, let error = error as? LaunchError {
        return error.description  // it names the task
      }
      return "launch task \"\(name)\" \(outcome.text.isEmpty ? "is done" : outcome.text)"
    }
  }

  /// How a task ended.
  public enum Outcome: Sendable {
    case done
    /// It threw an error, or took longer than it may. The app goes on without it.
    case failed(any Error)
    case cancelled
    /// One that it comes after failed.
    case skipped
    /// It waits, or runs.
    case pending
  }

  /// One for each task, in the order of the plan.
  public internal(set) var entries: [Entry]
  /// From the plan's start until all tasks of the first stage were done; nil: not yet.
  public internal(set) var readyAfter: Duration?
  let dependencies: [[Int]]

  /// The tasks that the app's being ready waited for, the first of them first: the one that ended last,
  /// of those it comes after again the one that ended last, and so on. To be ready sooner, make one of
  /// these shorter, or let it come after less.
  public var criticalPath: [Entry] { criticalIndices.map { entries[$0] } }

  private var criticalIndices: [Int] {
    func last(_ indices: some Sequence<Int>) -> Int? {
      indices.filter { entries[$0].end != nil }.max {
        // Of two that ended at once the first of the plan.
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

  /// Two tables for people: the critical path, and all tasks. Times in milliseconds.
  public var description: String {
    var text = readyAfter.map { "Ready after \(milliseconds($0)) ms" } ?? "Not ready"
    text += ". The critical path, ms:\n"
    var end = Duration.zero
    var rows: [[String]] = []
    for entry in criticalPath {
      let wait = (entry.start ?? end) - end
      // Below this there is always something: tasks are handed from thread to thread.
      let hasWaited = wait >= .milliseconds(1)
      rows.append([
        entry.name, milliseconds(entry.duration ?? .zero),
        hasWaited ? "after waiting \(milliseconds(wait)) for its turn" : "",
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
    text.removeLast()  // its reader ends the last line
    return text
  }

  /// - Parameter numbers: the columns whose cells end below each other.
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
    case .skipped: "skipped: one that it comes after failed"
    case .pending: "pending"
    }
  }
}

/// A span in milliseconds, with one digit behind the point.
func milliseconds(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let tenths = seconds * 10_000 + (attoseconds + 50_000_000_000_000) / 100_000_000_000_000
  return "\(tenths / 10).\(abs(tenths % 10))"
}
