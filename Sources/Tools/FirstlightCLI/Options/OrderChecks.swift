import ArgumentParser
import SystemSupport

/// What `order` and `verify` both ask of an order.
struct OrderChecks: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Page size of the machine the binary runs on; by default this machine's.",
      valueName: "bytes"))
  var pageSize: UInt32 = HostInfo.pageSize

  @Option(
    help: ArgumentHelp(
      "Fail if a smaller share of the names is in the binary, or lies in order there, from 0 to 1.",
      valueName: "share"))
  var minHitRate: Double?

  func validate() throws {
    if pageSize < 1024 || pageSize > 1 << 30 || pageSize & (pageSize - 1) != 0 {
      throw ValidationError("--page-size is a power of two, from 1024 on.")
    }
    if let minHitRate, !(0...1).contains(minHitRate) {
      throw ValidationError("--min-hit-rate is a share, from 0 to 1.")
    }
  }
}
