/// Permanent identity of a recorded process: no two processes of one host share it.
package struct ProcessID: Hashable, Sendable, CustomStringConvertible {
  package var pid: UInt32
  /// Inode of the pid namespace; 0 if unknown.
  package var namespace: UInt32
  /// Start time, clock ticks since boot; 0 if unknown.
  package var start: UInt64
  /// Differs for each exec.
  package var key: UInt64

  package init(pid: UInt32, namespace: UInt32, start: UInt64, key: UInt64) {
    self.pid = pid
    self.namespace = namespace
    self.start = start
    self.key = key
  }

  /// The stem of this process's file names: `<pid>-<start>-<key>`.
  package var description: String {
    // A spool has thousands of such names: built back to front in a buffer of the maximum length.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { text in
      var place = 48
      func put(_ value: UInt64, base: UInt64, digits: Int) {
        var (rest, written) = (value, 0)
        while rest > 0 || written < digits {
          let digit = UInt8(rest % base)
          place -= 1
          text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
          rest /= base
          written += 1
        }
      }
      func dash() {
        place -= 1
        text[place] = UInt8(ascii: "-")
      }
      put(key, base: 16, digits: 16)
      dash()
      put(start, base: 10, digits: 1)
      dash()
      put(UInt64(pid), base: 10, digits: 1)
      return String(decoding: UnsafeBufferPointer(rebasing: text[place...]), as: UTF8.self)
    }
  }
}
