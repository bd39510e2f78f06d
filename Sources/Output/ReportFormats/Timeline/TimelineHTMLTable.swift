import TextFormatting

extension TimelineHTMLScript {
  /// The table of first calls, and what joins it, the search and the pictures.
  static let table = ResourceText.of(PackageResources.timeline_table_js)
}
