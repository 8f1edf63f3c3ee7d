// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Fetching",
  products: [.library(name: "Fetching", targets: ["Fetching"])],
  targets: [.target(name: "Fetching")]
)
