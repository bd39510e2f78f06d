import SystemSupport

/// What pages with a treemap and a table share.
package enum Treemap {
  /// Places the tiles.
  package static let script = ResourceText.of(PackageResources.treemap_js)

  /// Colours after Okabe and Ito (jfly.uni-koeln.de/color), which people with any colour vision can distinguish.
  package static let style = ResourceText.of(PackageResources.treemap_css)
}
