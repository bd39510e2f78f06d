import TextFormatting

/// How the page of a comparison looks beyond what all pages have in common, in light and in dark.
enum ComparisonStyle {
  /// The colours of page kinds are those of Okabe and Ito (jfly.uni-koeln.de/color), which people
  /// with any colour vision tell apart; their yellow is darker here, to be seen on white.
  static let sheet = ResourceText.of(PackageResources.comparison_css)
}
