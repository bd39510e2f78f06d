import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// A binary that is started to be measured.
package struct MeasuredBinary {
  /// "A" or "B" where two are compared.
  package let letter: String?
  /// As it was given.
  package let path: String
  package let facts: BinaryFacts
  /// Its pages, under its real path, as the kernel names it.
  package let cache: FileCache

  package var title: String { letter.map { "\($0) (\(path))" } ?? path }

  /// Fails with `.noInput` or `.data` if it is not an executable that we may run.
  package init(_ letter: String?, _ path: String) throws(Failure) {
    self.letter = letter
    self.path = path
    guard let real = AbsolutePath.resolved(path) else {
      throw Failure(.noInput, "\(path): cannot be opened (\(ErrorText.of(errno)))")
    }
    try FileStart.refuseScript(path)
    // The index maps the file, and what is mapped cannot be dropped: it goes before we measure.
    facts = try DebugImage(path: path, debugDirectories: []).facts()
    guard facts.kind == .executable else {
      throw Failure(
        .data, "\(path): is a shared library", advice: "use the program that loads it")
    }
    guard access(path, X_OK) == 0 else {
      throw Failure(.data, "\(path): not executable", advice: "run chmod +x \(path)")
    }
    cache = try FileCache(real)
  }
}
