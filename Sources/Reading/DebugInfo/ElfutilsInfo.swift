import CElfutils

/// The installed elfutils.
package enum ElfutilsInfo {
  package static var version: String { dwfl_version(nil).map { String(cString: $0) } ?? "" }

  /// Whether it can undo zstd in debug sections (`ELFCOMPRESS_ZSTD`); 0.189 and newer can, if built so.
  package static var inflatesZstd: Bool { SectionCompression.canInflateZstd }
}
