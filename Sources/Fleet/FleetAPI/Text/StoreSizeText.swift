import FleetModel
import TextFormatting

/// How much a store holds, as text.
package enum StoreSizeText {
  package static func text(_ size: StoreSize) -> String {
    var table = TextTable([.right, .left])
    table.add(CountText.number(size.builds), size.builds == 1 ? "build" : "builds")
    table.add(CountText.number(size.series), "series (build x day x version x labels)")
    table.add(CountText.number(size.coverage), "sums (function x series)")
    table.add(CountText.number(size.sampledTraces), "sampled traces")
    return table.text()
  }
}
