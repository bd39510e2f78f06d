import TextFormatting

extension TimelineHTMLScript {
  /// Zooming, moving and choosing.
  static let lanesInput = ResourceText.of(PackageResources.timeline_lanes_input_js)
}
