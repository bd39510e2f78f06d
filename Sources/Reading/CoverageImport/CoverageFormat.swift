/// A format of coverage that other tools write.
package enum CoverageFormat: String, CaseIterable, Sendable {
  /// Addresses dumped by sanitizer coverage.
  case sancov
  /// Function records of tracefiles.
  case lcov

  /// - Throws: `Failure` if the file cannot be read, or has another format.
  package func calls(in file: String, _ places: FunctionPlaces) throws -> ImportedCalls {
    switch self {
    case .sancov: try SancovFile.calls(in: file, places)
    case .lcov: try LCOVFile.calls(in: file, places)
    }
  }
}
