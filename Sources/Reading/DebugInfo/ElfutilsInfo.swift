import CElfutils

/// The installed elfutils.
package enum ElfutilsInfo {
  package static var version: String { dwfl_version(nil).map { String(cString: $0) } ?? "" }

  /// Whether it supports zstd in debug sections (`ELFCOMPRESS_ZSTD`): from 0.189 on, if built with it.
  package static var inflatesZstd: Bool { SectionCompression.canInflateZstd }
}
