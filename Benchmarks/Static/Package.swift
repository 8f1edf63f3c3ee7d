// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since the options that link libcurl into a program are a whole build's: see Scripts/static-libcurl.
let package = Package(
  name: "StaticBenchmarks",
  dependencies: [.package(name: "swift-url-loading", path: "../..")],
  targets: [
    .executableTarget(
      name: "first-byte-static", dependencies: [.product(name: "URLLoading", package: "swift-url-loading")]),
    .executableTarget(name: "peer-first-byte-static", swiftSettings: [.define("PEER")]),
  ],
  swiftLanguageModes: [.v6]
)
