extension MachineReport {
  static func guards(_ facts: MachineFacts) -> [MachineFinding] {
    [
      kernel(
        facts, .wipeOnFork, "MADV_WIPEONFORK", without: .missing,
        cost: facts.answers[.wipeOnFork] == .hasNoEffect
          ? "children made by clone without libc record into their parent's files"
          : "programs with guards run, and record nothing",
        advice: facts.answers[.wipeOnFork] == .hasNoEffect
          ? "record on the machine itself, not in an emulator"
          : "use Linux 4.14 or newer, or record --no-rebuild"),
      library(facts, "libfirstlight_rt.a", cost: "programs cannot be built with guards"),
      kernel(
        facts, .fileWatching, "inotify", without: .missing,
        cost: "--until ready does not work",
        advice: "raise fs.inotify.max_user_instances, or use --until with a port or a duration"),
    ]
  }

  static func measuring(_ facts: MachineFacts) -> [MachineFinding] {
    [
      pageDropping(facts),
      kernel(
        facts, .cacheDropping, "dropping all pages", without: .limited, works: "permitted",
        cost: "--drop-caches does not work",
        advice: "leave out --drop-caches: the binaries' own files are dropped without it"),
      readahead(facts),
      kernel(
        facts, .pageMap, "/proc/PID/pagemap", without: .limited,
        cost: "compare and optimize do not show the pages of the binary that its start touches",
        advice: "mount /proc without restrictions (hidepid, masked paths)"),
      MachineFinding(
        "perf", "perf events", .note,
        (facts.perfParanoia.map { "kernel.perf_event_paranoid is \($0)" } ?? "unknown")
          + "; Firstlight uses none"),
      library(
        facts, "libfirstlight_prefetch.a", cost: "optimize links programs without page prefetch"),
      library(
        facts, "libfirstlight_conformances.a",
        cost: "optimize links Swift programs without an index of conformances"),
    ]
  }

  private static func pageDropping(_ facts: MachineFacts) -> MachineFinding {
    kernel(
      facts, .pageDropping, "dropping a file's pages", without: .missing,
      works: "works in \(facts.folder.path)",
      cost: "cold starts of programs in \(facts.folder.path) cannot be measured (--cold)",
      advice: facts.folder.isInMemoryOnly
        ? "put the program on a disk: \(facts.folder.path) is in memory"
        : "put the program on another file system")
  }

  /// Above Linux's default (VM_READAHEAD_PAGES), the kernel reads more than a program requests,
  /// which hides major faults.
  private static func readahead(_ facts: MachineFacts) -> MachineFinding {
    let (id, title) = ("readahead", "read-ahead")
    guard let size = facts.folder.readahead else {
      return MachineFinding(id, title, .note, "unknown for \(facts.folder.path)")
    }
    let usual = 128
    let value = "\(size) KiB for \(facts.folder.path)"
    guard size > usual else { return MachineFinding(id, title, .available, value) }
    return MachineFinding(
      id, title, .limited, value,
      cost: "cold starts have fewer major faults than on most machines: read-ahead brings in "
        + "pages that nobody asked for",
      advice: "to measure as on most machines, set read_ahead_kb in /sys/class/bdi to \(usual)")
  }
}
