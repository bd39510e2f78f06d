/// How long a store remembers which traces it has: long after no host sends them again, whatever its clock
/// says meanwhile.
///
/// One wrong clock is not believed. A day is over when enough other days have brought traces since.
package enum TraceMemory {
  /// Days on which traces came, of which the ids are kept. Hosts give up what is much younger.
  package static let days = 30

  /// The first day whose traces are not forgotten.
  /// - Parameters:
  ///   - today: as the clock has it now.
  ///   - known: the days of all traces that the store remembers.
  package static func horizon(today: FleetDay, known: [FleetDay]) -> FleetDay {
    let latest = Set(known).sorted(by: >)
    guard latest.count > days else { return FleetDay(number: 0) }
    return min(latest[days - 1], FleetDay(number: max(0, today.number - Int32(days))))
  }

  /// The day under which a trace is remembered that comes now: today, unless two days that the store knows
  /// say that today was long ago.
  package static func day(today: FleetDay, known: [FleetDay]) -> FleetDay {
    let latest = Set(known).sorted(by: >)
    return latest.count > 1 ? max(today, latest[1]) : today
  }

  /// As many days have to agree before evidence is removed because it is old.
  package static let agreeingDays = 3

  /// The day that has been reached for sure: no later than today, and than the day by which traces came on
  /// `agreeingDays` days. A clock that is ahead for a day or two so removes nothing.
  /// - Returns: nil as long as traces came on fewer days.
  package static func agreedDay(today: FleetDay, known: [FleetDay]) -> FleetDay? {
    let latest = Set(known).sorted(by: >)
    guard latest.count >= agreeingDays else { return nil }
    return min(today, latest[agreeingDays - 1])
  }
}
