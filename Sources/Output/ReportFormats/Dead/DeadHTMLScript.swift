import TextFormatting

/// What the page of a never-called list does: draws the treemap, searches and sorts the table.
enum DeadHTMLScript {
  /// The treemap is squarified (Bruls, Huizing and van Wijk, "Squarified treemaps", 2000).
  static let text = ResourceText.of(PackageResources.never_called_js)
}
