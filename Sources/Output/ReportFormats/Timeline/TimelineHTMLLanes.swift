import TextFormatting

extension TimelineHTMLScript {
  /// Threads as rows over time.
  static let lanes = ResourceText.of(PackageResources.timeline_lanes_js)
}
