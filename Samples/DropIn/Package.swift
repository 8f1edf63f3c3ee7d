// swift-tools-version: 6.2
import PackageDescription

// Nothing here names swift-url-loading: a toolset says which FoundationNetworking all three packages get.
let package = Package(
  name: "DropIn",
  dependencies: [
    .package(path: "Fetching"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "DropIn",
      dependencies: [
        "Fetching",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
      ])
  ]
)
