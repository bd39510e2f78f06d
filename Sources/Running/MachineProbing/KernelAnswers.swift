import FirstlightModel
import KernelProbes
import MachineInspection
import SystemSupport

/// What the kernel answers when each feature is tried.
enum KernelAnswers {
  /// - Parameter folder: where a file's pages are dropped.
  static func all(folder: String) -> [KernelFeature: KernelFeature.Answer] {
    var tracing = fl_tracing_probes()
    fl_probe_tracing(&tracing)
    var answers: [KernelFeature: KernelFeature.Answer] = [:]
    for feature in KernelFeature.allCases {
      answers[feature] = answer(code(of: feature, tracing, folder))
    }
    return answers
  }

  private static func code(
    of feature: KernelFeature, _ tracing: fl_tracing_probes, _ folder: String
  ) -> Int32 {
    switch feature {
    case .tracing: tracing.tracing
    case .codeWriting: tracing.memory
    case .systemCallInfo: tracing.system_call
    case .rseqConfiguration: tracing.rseq
    case .memoryComparison: tracing.comparison
    case .runTimes: tracing.run_times
    case .wipeOnFork: fl_probe_wipe_on_fork()
    case .pageDropping: fl_probe_page_dropping(folder)
    case .cacheDropping: fl_probe_cache_dropping()
    case .pageMap: fl_probe_page_map()
    case .fileWatching: fl_probe_file_watching()
    case .processDescriptor: fl_probe_process_descriptor()
    case .restrictedOpen: fl_probe_restricted_open()
    case .descriptorClosing: fl_probe_descriptor_closing()
    case .systemCallFilter: fl_probe_system_call_filter()
    }
  }

  private static func answer(_ code: Int32) -> KernelFeature.Answer {
    switch code {
    case 0: .works
    case Int32(FL_PROBE_NO_EFFECT): .hasNoEffect
    case Int32(FL_PROBE_NOT_TRIED): .unknown
    default: .fails(ErrorText.of(code))
    }
  }
}
