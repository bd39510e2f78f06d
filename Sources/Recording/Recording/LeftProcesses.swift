import FirstlightModel
import FirstlightTracer
import Glibc
import SystemSupport

/// The processes that a program leaves behind, such as a daemon. They become children of this
/// process when their parents end.
struct LeftProcesses {
  /// Children that existed before.
  private let others: Set<pid_t>

  /// Call before the program starts.
  init() {
    fl_adopt_orphans()
    others = Set(Self.children(of: "self"))
  }

  /// Running processes whose parents have ended. Empty only if no process is left: the others
  /// descend from these.
  func roots(besides program: pid_t) -> [pid_t] {
    Self.children(of: "self").filter {
      $0 != program && !others.contains($0) && LiveProcess($0) != nil
    }
  }

  /// The roots and their descendants.
  func all(besides program: pid_t) -> [pid_t] {
    var found = roots(besides: program)
    var next = 0
    while next < found.count {
      found += Self.children(of: "\(found[next])")
      next += 1
    }
    return found
  }

  /// Reaps the ended ones.
  func reap(besides program: pid_t) {
    for child in Self.children(of: "self") where child != program && !others.contains(child) {
      waitpid(child, nil, WNOHANG)
    }
  }

  private static func children(of process: String) -> [pid_t] {
    guard ProcessTable.isOfOwnNamespace else { return [] }
    let threads = (try? DirectoryListing.names(in: "/proc/\(process)/task")) ?? []
    return threads.flatMap { thread in
      (ProcFile.text("/proc/\(process)/task/\(thread)/children") ?? "").split(at: " ")
        .compactMap { pid_t($0) }
    }
  }
}

/// A process that was still running when a recording ended.
package struct LeftProcess {
  package let pid: UInt32
  /// The mapped files; nil if they cannot be read.
  package let files: Set<TextBytes>?

  init(_ pid: pid_t) {
    self.pid = UInt32(pid)
    files = ProcFile.text(LiveProcess.folder(of: pid) + "/maps").map { text in
      Set(
        texts: text.split(at: "\n").compactMap { line in
          line.firstIndex(ofUTF8: "/").map { line[$0...] }
        })
    }
  }

  /// Whether the process may call functions of one of these files.
  func mayCall(_ images: Set<TextBytes>) -> Bool {
    files.map { !$0.isDisjoint(with: images) } ?? true
  }
}
