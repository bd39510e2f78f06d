import SystemSupport

/// The script of a timeline's page. Its parts share one scope.
enum TimelineHTMLScript {
  static let all = model + canvas + lanes + lanesInput + flame + table

  /// The script of the page that compares two runs: only the flame graph.
  static let flameAlone = model + canvas + flame + flameSearch

  /// Names for the numbers of the data, and the search.
  private static let model = ResourceText.of(PackageResources.timeline_model_js)

  /// A canvas as high as its contents. Draws only the visible part.
  private static let canvas = ResourceText.of(PackageResources.timeline_canvas_js)

  /// Threads as rows over time.
  private static let lanes = ResourceText.of(PackageResources.timeline_lanes_js)

  /// Zooming, moving and choosing.
  private static let lanesInput = ResourceText.of(PackageResources.timeline_lanes_input_js)

  /// The start-up flame graph, from the top down.
  private static let flame = ResourceText.of(PackageResources.timeline_flame_js)

  /// The search for a page without a table and rows.
  private static let flameSearch = ResourceText.of(PackageResources.timeline_flame_search_js)

  /// The table of first calls; connects table, search and pictures.
  private static let table = ResourceText.of(PackageResources.timeline_table_js)
}
