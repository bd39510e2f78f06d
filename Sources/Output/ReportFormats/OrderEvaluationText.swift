import SymbolOrdering
import SystemSupport

/// The comparison of orders, as a table.
package enum OrderEvaluationText {
  package static func text(_ evaluation: OrderEvaluation) -> String {
    let traces = CountText.text(evaluation.trainingTraces, "trace")
    var text =
      evaluation.isHeldOut
      ? "Orders made from \(traces), tested on \(CountText.number(evaluation.testTraces)) held out"
      : "Too few traces to hold any out (\(CountText.number(evaluation.trainingTraces)) of at least "
        + "5): orders tested on the traces they were made from"
    text += ". Page size \(CountText.bytes(UInt64(evaluation.pageSize))).\n"
    var table = TextTable([.left, .right, .right, .right, .right, .right])
    table.add("Order", "Area", "of link", "Pages", "64 KiB windows", "Ordered")
    let link = evaluation.rows.first?.touch.area ?? 0
    for row in evaluation.rows {
      table.add(
        row.layout.rawValue, CountText.number(Int(clamping: row.touch.area)),
        link == 0 ? "-" : NumberText.share(Double(row.touch.area) / Double(link)),
        CountText.number(Int(clamping: row.touch.pages)),
        CountText.number(Int(clamping: row.touch.windows)),
        CountText.bytes(row.touch.orderedBytes))
    }
    return text + table.text()
      + "Area: pages touched so far, summed over all calls of the tested traces.\n"
  }
}
