import FirstlightModel
import FleetAPI
import FleetModel

/// What a question to a fleet is about, as the API's queries have it.
package struct FleetQuery {
  package var buildID: String?
  package var recorder: String?
  package var program: String?
  package var version: String?
  /// A day in UTC: `yyyy-mm-dd`.
  package var since: String?
  /// `KEY=VALUE` each.
  package var labels: [String] = []

  package init(
    buildID: String?, recorder: String? = nil, program: String?, version: String?, since: String?,
    labels: [String]
  ) {
    self.buildID = buildID
    self.recorder = recorder
    self.program = program
    self.version = version
    self.since = since
    self.labels = labels
  }

  /// Fails with `.usage` if something in it is none.
  var selection: FleetSelection {
    get throws(Failure) { try FleetSelection(query: items) }
  }

  var items: [(String, String)] {
    var items: [(String, String)] = []
    if let buildID { items.append(("build-id", buildID)) }
    if let recorder { items.append(("recorder", recorder)) }
    if let program { items.append(("program", program)) }
    if let version { items.append(("version", version)) }
    if let since { items.append(("since", since)) }
    return items + labels.map { ("label", $0) }
  }
}
