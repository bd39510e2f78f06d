import FleetModel

/// A day of a build: what evidence is removed by.
struct BuildDay: Hashable {
  var build: BuildKey
  var day: FleetDay
}
