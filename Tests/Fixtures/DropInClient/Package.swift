// swift-tools-version: 6.2
import PackageDescription

// Small programs of a graph whose toolset may be that of a drop-in folder.
let package = Package(
  name: "DropInClient",
  targets: [
    .target(name: "Importing"),
    .executableTarget(name: "Client", dependencies: ["Importing"]),
    .executableTarget(name: "Plugins"),
    .executableTarget(name: "WrittenForLinux"),
    .executableTarget(name: "CloseCodes"),
  ],
  swiftLanguageModes: Context.environment["LANGUAGE_MODE"] == "5" ? [.v5] : [.v6]
)
