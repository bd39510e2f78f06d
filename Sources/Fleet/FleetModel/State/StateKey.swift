/// What a publisher has one row for: a series of a build that has this many guards.
///
/// An uploader can claim any number of guards. Stores keep rows of different claims apart, and answer with
/// those whose claim is true.
package struct StateKey: Hashable, Sendable {
  package var series: SeriesKey
  package var guardCount: Int

  package init(series: SeriesKey, guardCount: Int) {
    self.series = series
    self.guardCount = guardCount
  }

  package var build: BuildKey { series.build }
  package var day: FleetDay { series.day }
  package var labels: FleetLabels { series.labels }
}
