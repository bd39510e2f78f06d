/// The day that a fleet has reached, by an estimate that a single wrong clock cannot change.
package enum AgreedDay {
  /// Rows must have come on so many days that are as late before evidence is closed or removed for its age.
  package static let agreeingDays = 3

  /// Today, or the third latest day on which rows came, whichever is earlier. So a clock that is ahead for a
  /// day or two closes and removes nothing.
  /// - Parameters:
  ///   - today: as the clock has it.
  ///   - received: days on which rows came, by the receivers' clocks.
  /// - Returns: nil as long as rows came on fewer days.
  package static func of(today: FleetDay, received: [FleetDay]) -> FleetDay? {
    let latest = Set(received).sorted(by: >)
    guard latest.count >= agreeingDays else { return nil }
    return min(today, latest[agreeingDays - 1])
  }
}
