// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that peers and their dependencies are none of the library's.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "swift-url-loading", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "load-bench",
      dependencies: [
        .product(name: "URLLoading", package: "swift-url-loading"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "peer-bench", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: [.define("PEER")]),
  ],
  swiftLanguageModes: [.v6]
)
