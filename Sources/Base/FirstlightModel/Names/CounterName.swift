/// The name that LLVM's counters have for a function: the linker's, behind the file and a colon or semicolon if it is
/// local to the file.
package struct CounterName {
  package var linkerName: String
  /// Empty if the function is not local.
  package var file: String

  package init(_ text: String) {
    let bytes = text.utf8
    let mark = bytes.lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    file = mark.map { String(text[..<$0]) } ?? ""
    linkerName = mark.map { String(text[bytes.index(after: $0)...]) } ?? text
  }
}
