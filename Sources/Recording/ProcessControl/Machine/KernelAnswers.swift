import DebugInfo
import FirstlightModel
import FirstlightProbes
import Glibc
import KernelProbes
import SystemSupport

/// The results of trying each kernel feature.
enum KernelAnswers {
  /// - Parameter folder: folder of a file whose pages are dropped.
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
    case .memoryComparison: tracing.comparison
    case .attaching: fl_probes_try()
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
