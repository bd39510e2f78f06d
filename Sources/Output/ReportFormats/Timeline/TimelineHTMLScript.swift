import TextFormatting

/// What the page of a timeline does.
enum TimelineHTMLScript {
  static let all = model + canvas + lanes + lanesInput + flame + table

  /// Of the page that compares two runs: the flame graph alone.
  static let flameAlone = model + canvas + flame + flameSearch

  /// Names for the numbers of the data, and the search.
  static let model = ResourceText.of(PackageResources.timeline_model_js)

  /// A canvas as high as what it shows, of which only the part in view is drawn.
  static let canvas = ResourceText.of(PackageResources.timeline_canvas_js)
}
