import FirstlightModel
import MachineInspection
import TextFormatting

/// What a machine allows, for programs.
package enum MachineReportJSON {
  package static func text(_ report: MachineReport) throws(Failure) -> String {
    try JSONForm.pretty(Document(report))
  }

  private struct Document: Encodable {
    var version, kernel, architecture, libc, folder: String
    var cores: Int
    var findings: [Row]

    init(_ report: MachineReport) {
      let host = report.facts.host
      version = ToolVersion.text
      (kernel, architecture, cores) = (host.kernel, host.architecture, host.cores)
      (libc, folder) = (report.facts.libc, report.facts.folder.path)
      findings = report.sections.flatMap { section in
        section.findings.map { Row(section.title, $0) }
      }
    }
  }

  private struct Row: Encodable {
    var id, section, title, state, value: String
    var cost, advice: String?

    init(_ section: String, _ finding: MachineFinding) {
      (id, self.section, title) = (finding.id, section, finding.title)
      (state, value) = (finding.state.rawValue, finding.value)
      cost = finding.cost.isEmpty ? nil : finding.cost
      advice = finding.advice.isEmpty ? nil : finding.advice
    }
  }
}
