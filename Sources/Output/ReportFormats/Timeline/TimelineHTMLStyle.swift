import TextFormatting

/// How the page of a timeline looks, beside what all pages have.
enum TimelineHTMLStyle {
  /// Colours of modules after Okabe and Ito (jfly.uni-koeln.de/color), paler, for dark text on them;
  /// the script reads them from here.
  static let sheet = ResourceText.of(PackageResources.timeline_css)
}
