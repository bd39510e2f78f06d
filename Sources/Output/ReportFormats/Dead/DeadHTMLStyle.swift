import TextFormatting

/// How the page of a never-called list looks, beside what all pages have.
enum DeadHTMLStyle {
  /// Colours after Okabe and Ito (jfly.uni-koeln.de/color), which people with any colour vision tell
  /// apart.
  static let sheet = ResourceText.of(PackageResources.never_called_css)
}
