import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import SystemSupport

/// The builds and runs to query.
struct FleetChoice: ParsableArguments {
  @Option(help: ArgumentHelp("Only this build, by the first digits of its id.", valueName: "id"))
  var buildID: String?

  @Option(
    help: ArgumentHelp(
      "Only builds recorded this way, where a binary was recorded in both.",
      valueName: "guards | breakpoints"))
  var recorder: String?

  @Option(help: ArgumentHelp("Only builds of this program, by file name.", valueName: "name"))
  var program: String?

  @Option(
    name: .customLong("version"),
    help: ArgumentHelp("Only runs of this version.", valueName: "v"))
  var programVersion: String?

  @Option(
    help: ArgumentHelp("Only runs with this label. Repeatable.", valueName: "k=v"))
  var label: [String] = []

  @Option(
    help: ArgumentHelp("Only runs since this day (UTC).", valueName: "yyyy-mm-dd"))
  var since: String?

  var query: FleetQuery {
    get throws(Failure) {
      let values = [
        ("build-id", buildID), ("recorder", recorder), ("program", program),
        ("version", programVersion), ("since", since),
      ]
      return try FleetQuery(
        items: values.compactMap { key, value in value.map { (key, $0) } }
          + label.map { ("label", $0) })
    }
  }
}
