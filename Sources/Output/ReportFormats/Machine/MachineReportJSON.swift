import FirstlightModel
import MachineInspection
import TextFormatting

/// The capabilities of a machine, as JSON.
extension MachineReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let host = facts.host
    let findings: [JSONObject] = sections.flatMap { section in
      section.findings.map {
        [
          "id": $0.id, "section": section.title, "title": $0.title, "state": $0.state.rawValue,
          "value": $0.value, "cost": $0.cost.nonEmpty, "advice": $0.advice.nonEmpty,
        ]
      }
    }
    return [
      "version": ToolVersion.text, "kernel": host.kernel, "architecture": host.architecture,
      "libc": facts.libc, "folder": facts.folder.path, "cores": host.cores, "findings": findings,
    ]
  }
}
