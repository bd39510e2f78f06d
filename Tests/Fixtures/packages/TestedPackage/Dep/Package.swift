// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Dep",
  products: [.library(name: "Dep", targets: ["Dep"])],
  targets: [.target(name: "Dep")],
  swiftLanguageModes: [.v6]
)
