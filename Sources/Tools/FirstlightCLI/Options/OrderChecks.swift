import ArgumentParser
import FirstlightModel
import SystemSupport

/// Options that `order` and `verify` share.
struct OrderChecks: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Page size of the machine that runs the binary; the default is this machine's.",
      valueName: "bytes"))
  var pageSize: UInt32 = HostInfo.pageSize

  @Option(
    help: ArgumentHelp(
      "Fail if a smaller share of the order's names is in the binary (verify: in order), from 0 to 1.",
      valueName: "share"))
  var minHitRate: Double?

  func validate() throws {
    if pageSize < 1024 || pageSize > 1 << 30 || pageSize & (pageSize - 1) != 0 {
      throw ValidationError("--page-size must be a power of two, 1024 or more.")
    }
    if let minHitRate, !(0...1).contains(minHitRate) {
      throw ValidationError("--min-hit-rate must be between 0 and 1.")
    }
  }
}
