extension MachineReport {
  static func breakpoints(_ facts: MachineFacts) -> [MachineFinding] {
    [
      kernel(
        facts, .tracing, "ptrace", without: .missing,
        works: facts.ptraceScope.map { "works (kernel.yama.ptrace_scope is \($0))" } ?? "works",
        cost: "record --no-rebuild and launch do not work; compare and gate do not measure a "
          + "program's memory at its exit. Guards record as always",
        advice: TracingAdvice.text(scope: facts.ptraceScope)),
      kernel(
        facts, .codeWriting, "writing code, /proc/PID/mem", without: .limited,
        cost: "breakpoints are written word by word with ptrace: recording begins later",
        advice: "start Linux with proc_mem.force_override=ptrace"),
      kernel(
        facts, .systemCallInfo, "PTRACE_GET_SYSCALL_INFO", without: .limited,
        cost: "launch does not show when the loader opens and maps each library",
        advice: "use Linux 5.3 or newer, or a container runtime of that age"),
      kernel(
        facts, .rseqConfiguration, "PTRACE_GET_RSEQ_CONFIGURATION", without: .limited,
        cost: "launch does not know which threads ran on the tracer's CPU: its corrected times are "
          + "less exact for programs with several threads",
        advice: "use Linux 5.13 or newer"),
      kernel(
        facts, .memoryComparison, "kcmp", without: .limited,
        cost: "of a child that shares its parent's memory only vfork and clone are known, as libc "
          + "uses them",
        advice: "start the container with --cap-add=SYS_PTRACE"),
      kernel(
        facts, .runTimes, "/proc/PID/schedstat", without: .limited,
        cost: "launch does not know how long threads ran between stops: its corrected times are "
          + "less exact",
        advice: "use a kernel with CONFIG_SCHED_INFO"),
    ]
  }

  static func daemon(_ facts: MachineFacts) -> [MachineFinding] {
    let cost = "firstlightd reads no function tables, so its lists and orders lack names"
    return [
      kernel(
        facts, .processDescriptor, "pidfd_open", without: .missing, cost: cost,
        advice: "use Linux 5.3 or newer, or a container runtime of that age"),
      kernel(
        facts, .systemCallFilter, "seccomp filters", without: .missing, cost: cost,
        advice: "use a kernel with CONFIG_SECCOMP_FILTER"),
      kernel(
        facts, .descriptorClosing, "close_range", without: .limited,
        cost: "descriptors are closed one by one: a process that reads a binary starts later"),
      kernel(
        facts, .restrictedOpen, "openat2", without: .limited,
        cost: "paths that lead through /proc are told by where they end, not on the way",
        advice: "use Linux 5.6 or newer, or a container runtime of that age"),
    ]
  }
}
