import TextFormatting

/// What the page of a timeline does. Its parts share one scope.
enum TimelineHTMLScript {
  static let all = model + canvas + lanes + lanesInput + flame + table

  /// Of the page that compares two runs: the flame graph alone.
  static let flameAlone = model + canvas + flame + flameSearch

  /// Names for the numbers of the data, and the search.
  private static let model = ResourceText.of(PackageResources.timeline_model_js)

  /// A canvas as high as what it shows, of which only the part in view is drawn.
  private static let canvas = ResourceText.of(PackageResources.timeline_canvas_js)

  /// Threads as rows over time.
  private static let lanes = ResourceText.of(PackageResources.timeline_lanes_js)

  /// Zooming, moving and choosing.
  private static let lanesInput = ResourceText.of(PackageResources.timeline_lanes_input_js)

  /// The start-up flame graph, from the top down.
  private static let flame = ResourceText.of(PackageResources.timeline_flame_js)

  /// The search, where there is no table and no row to look in.
  private static let flameSearch = ResourceText.of(PackageResources.timeline_flame_search_js)

  /// The table of first calls, and what joins it, the search and the pictures.
  private static let table = ResourceText.of(PackageResources.timeline_table_js)
}
