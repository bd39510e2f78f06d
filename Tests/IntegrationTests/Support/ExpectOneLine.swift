import TestSupport
import Testing

/// Bad input ends a command with one line of error and an exit code, and without a result.
func expectOneLine(
  _ result: CommandResult, status: Int32, saying text: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(result.status == status && !result.signalled, sourceLocation: sourceLocation)
  #expect(result.output == "", sourceLocation: sourceLocation)
  let lines = result.errors.split(separator: "\n")
  #expect(lines.count == 1, sourceLocation: sourceLocation)
  #expect(lines.first?.hasPrefix("firstlight: error: ") == true, sourceLocation: sourceLocation)
  #expect(result.errors.contains(text), "\(result.errors)", sourceLocation: sourceLocation)
}
