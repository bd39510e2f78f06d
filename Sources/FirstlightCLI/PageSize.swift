import ArgumentParser

/// What `--page-size` may be.
enum PageSize {
  static func check(_ size: UInt32?) throws {
    guard let size else { return }
    if size < 1024 || size > 1 << 30 || size & (size - 1) != 0 {
      throw ValidationError("--page-size is a power of two, from 1024 on.")
    }
  }
}
