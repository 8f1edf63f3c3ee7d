// swift-tools-version: 6.2
import PackageDescription

// Built with the toolset url-loading.json of a drop-in folder, which has the module URLLoading: nothing here names swift-url-loading.
let package = Package(
  name: "ServicePlugin",
  products: [.library(name: "VaultPlugin", type: .dynamic, targets: ["VaultPlugin"])],
  targets: [.target(name: "VaultPlugin")]
)
