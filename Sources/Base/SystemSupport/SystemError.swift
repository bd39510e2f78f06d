import FirstlightModel

/// What the system said no to.
package struct SystemError: Error {
  /// As in `errno`.
  package let code: Int32

  package var text: String { ErrorText.of(code) }
}
