/// The version of the tools, the daemon and the products. `Scripts/release` updates it here and in
/// the documents.
package enum ToolVersion {
  package static let text = "0.2.0"
}
