// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Plugboard",
  products: [.library(name: "Plugboard", type: .dynamic, targets: ["Plugboard"])],
  targets: [.target(name: "Plugboard")],
  swiftLanguageModes: [.v6]
)
