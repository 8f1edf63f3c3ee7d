// swift-tools-version: 6.2
import PackageDescription

// A program with modules and functions that are ours by name, and are not.
let package = Package(
  name: "DropInClash",
  targets: [
    .target(name: "CBlockCache"),
    .target(name: "URLLoadingBase"),
    .executableTarget(name: "Clash", dependencies: ["CBlockCache", "URLLoadingBase"]),
  ]
)
