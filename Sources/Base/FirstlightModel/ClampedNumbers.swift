/// Sums and conversions that end at the limits of a type. Numbers of files and other hosts may be any: a trap would
/// end the process.
extension FixedWidthInteger {
  /// The sum, or the limit that it exceeds.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }

  /// The number without its fraction, or the limit that it exceeds; 0 for NaN.
  package init(clamping number: Double) {
    self =
      Self(exactly: number.rounded(.towardZero))
      ?? (number.isNaN ? 0 : number < 0 ? .min : .max)
  }
}
