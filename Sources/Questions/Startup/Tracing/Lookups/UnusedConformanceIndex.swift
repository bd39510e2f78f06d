/// Why a program asks the Swift runtime for all conformances although it has an index of them
/// (`fl_conformances_refusal` in `CSupport/FirstlightConformances`).
package enum UnusedConformanceIndex: UInt64 {
  case unknownSwift = 1
  case unknownRecord, otherImage, noMemory

  /// The function that the program calls with the reason.
  package static let function = "firstlight_conformances_unused"

  var text: String {
    switch self {
    case .unknownSwift: "its Swift runtime is not of 6.0 to 6.3"
    case .unknownRecord: "a conformance record is not as in Swift 6.0 to 6.3"
    case .otherImage: "a library has conformance records, too"
    case .noMemory: "it got no memory for it"
    }
  }
}
