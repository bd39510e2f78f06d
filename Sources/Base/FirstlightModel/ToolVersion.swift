/// The version of the tools, of the daemon and of the products: `Scripts/release` changes it here, and in
/// the documents.
package enum ToolVersion {
  package static let text = "0.2.0"
}
