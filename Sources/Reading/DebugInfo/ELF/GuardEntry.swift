/// One entry of the PC table that `-fsanitize-coverage=pc-table` makes (`__sancov_pcs`).
///
/// Layout: LLVM's SanitizerCoverage documentation, "PC-Table".
package struct GuardEntry: Hashable, Sendable {
  /// Link-time address of the instrumented block; 0 if the linker dropped it.
  package var address: UInt64
  /// Bit 0: the block is its function's entry.
  package var flags: UInt64

  package init(address: UInt64, flags: UInt64) {
    self.address = address
    self.flags = flags
  }

  /// Whether the block is its function's entry.
  package var isFunctionEntry: Bool { flags & 1 != 0 }
}
