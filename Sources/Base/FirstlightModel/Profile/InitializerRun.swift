/// One initializer that ran (`.preinit_array`, `_init`, `.init_array`).
package struct InitializerRun: Hashable, Sendable, Codable {
  /// Path of the initializer's image.
  package var image: String
  /// The linker's name; empty if no symbol of the image covers the address.
  package var name: String
  /// Link-time address within the image.
  package var address: UInt64
  /// Kernel thread id.
  package var thread: UInt32
  package var start: UInt64
  /// Nil if the initializer did not return.
  package var duration: UInt64?
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  package init(
    image: String, name: String, address: UInt64, thread: UInt32, start: UInt64, duration: UInt64?,
    minorFaults: UInt64, majorFaults: UInt64
  ) {
    self.image = image
    self.name = name
    self.address = address
    self.thread = thread
    self.start = start
    self.duration = duration
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
  }
}
