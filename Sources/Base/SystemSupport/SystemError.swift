import FirstlightModel

/// An error of a system call.
package struct SystemError: Error {
  /// As in `errno`.
  package let code: Int32

  package var text: String { ErrorText.of(code) }
}
