import FirstlightModel
import Glibc
import SystemSupport

/// The program that a process runs.
enum RunningProgram {
  /// The kernel's name of the executable; nil for a kernel thread, or if the process has ended or may not be
  /// inspected.
  static func path(of pid: pid_t) -> String? { ProcFile.target(of: link(of: pid)).map(path) }

  /// The executable's file; nil as for its path.
  static func place(of pid: some FixedWidthInteger) -> FilePlace? { FilePlace(link(of: pid)) }

  /// The kernel's link to the executable.
  static func link(of pid: some FixedWidthInteger) -> String {
    LiveProcess.folder(of: pid) + "/exe"
  }

  /// The path without the kernel's mark of files that were removed or replaced since, or never had a name.
  static func path(_ kernelsPath: String) -> String {
    kernelsPath.removing(suffix: " (deleted)").map(String.init) ?? kernelsPath
  }

  /// The bytes of such a path.
  static func path(bytes kernelsPath: UnsafePointer<CChar>) -> [UInt8] {
    let mark = " (deleted)".utf8
    let path = UnsafeRawBufferPointer(start: kernelsPath, count: strlen(kernelsPath))
    return Array(
      path.suffix(mark.count).elementsEqual(mark) ? path.dropLast(mark.count) : path[...])
  }

  /// A path that leads to the executable: the given one, if that is the same file.
  static func link(of pid: pid_t, _ path: String) -> String {
    let link = link(of: pid)
    return FilePlace(path) == FilePlace(link) ? path : link
  }
}
