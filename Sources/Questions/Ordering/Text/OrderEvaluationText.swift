import Reports
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
    let link = evaluation.rows.first?.touch.area ?? 0
    let table = Document.Table(
      nil,
      [
        .text("Order"), .number("Area"), .number("of link", optional: true), .number("Pages"),
        .number("64 KiB windows"), .number("Ordered"),
      ],
      evaluation.rows.map {
        [
          $0.layout.rawValue, CountText.number(Int(clamping: $0.touch.area)),
          link == 0 ? "-" : NumberText.share(Double($0.touch.area) / Double(link)),
          CountText.number(Int(clamping: $0.touch.pages)),
          CountText.number(Int(clamping: $0.touch.windows)),
          CountText.bytes($0.touch.orderedBytes),
        ]
      }, notes: ["Area: pages touched so far, summed over all calls of the tested traces."])
    return text + table.text()
  }
}
