import TextFormatting

extension TimelineHTMLScript {
  /// The start-up flame graph, from the top down.
  static let flame = ResourceText.of(PackageResources.timeline_flame_js)

  /// The search, where there is no table and no row to look in.
  static let flameSearch = ResourceText.of(PackageResources.timeline_flame_search_js)
}
