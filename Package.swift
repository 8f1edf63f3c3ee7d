// swift-tools-version: 6.2
import PackageDescription

/// The thread sanitizer does not see `Synchronization.Mutex`: its build has another lock (`Locked`).
let sanitizesThreads = Context.environment["URL_LOADING_SANITIZING"] == "thread"

/// Whether the build is that of the drop-in folder (`Scripts/install-drop-in`).
let buildsDropIn = Context.environment["URL_LOADING_BUILD_DROP_IN"] != nil

/// Whether it is that of the transfer service that is linked with the folder's libraries (`Scripts/link-service`).
let buildsService = Context.environment["URL_LOADING_BUILD_DROP_IN"] == "service"

/// The settings of a module in the drop-in folder: clients need no modules below it, and find its library. The folder has no textual
/// interfaces: they are not worth checking.
func dropIn(_ library: String) -> [SwiftSetting] {
  guard buildsDropIn else { return [] }
  let options = ["-enable-library-evolution", "-no-verify-emitted-module-interface", "-module-link-name", library]
  return [.unsafeFlags(options)]
}

let package = Package(
  name: "swift-url-loading",
  products: [
    .library(name: "URLLoading", targets: ["URLLoading"]),
    .library(name: "FoundationNetworking", targets: ["FoundationNetworking"]),
    .library(name: "URLProtocolTesting", targets: ["URLProtocolTesting"]),
    .library(name: "URLLoadingHTTPTypes", targets: ["URLLoadingHTTPTypes"]),
    .library(name: "URLLoadingCombine", targets: ["URLLoadingCombine"]),
    .library(name: "URLLoadingLogging", targets: ["URLLoadingLogging"]),
    .library(name: "URLLoadingRedis", targets: ["URLLoadingRedis"]),
    .library(name: "ArchiveProtocol", targets: ["ArchiveProtocol"]),
    .library(name: "SFTPProtocol", targets: ["SFTPProtocol"]),
    .library(name: "WebDAVProtocol", targets: ["WebDAVProtocol"]),
    .executable(name: "urlload", targets: ["urlload"]),
    .executable(name: "urlload-pac", targets: ["urlload-pac"]),
    .executable(name: "urlloadd", targets: ["urlloadd"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    // Without its pkg-config file, which has options in Debian 13 that packages may not have, and nothing that is needed.
    .systemLibrary(
      name: "URLLoadingCCurl", path: "Sources/CCurl", providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
    .systemLibrary(
      name: "URLLoadingCOpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "URLLoadingCPSL", path: "Sources/CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(
      name: "URLLoadingCZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "URLLoadingCBrotli", path: "Sources/CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(
      name: "URLLoadingCZstd", path: "Sources/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "URLLoadingCSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "URLLoadingSQLite", dependencies: ["URLLoadingCSQLite"]),
    .target(name: "URLLoadingCBlockCache", path: "Sources/CBlockCache"),
    .target(name: "URLLoadingCGSSAPI", path: "Sources/CGSSAPI"),
    .target(name: "URLLoadingCLinux", path: "Sources/CLinux"),
    .target(name: "URLLoadingCCrashRecord", path: "Sources/CCrashRecord"),
    .target(name: "URLLoadingCEnumerations", path: "Sources/CEnumerations"),
    .target(
      name: "URLLoadingBase", dependencies: ["URLLoadingCLinux"],
      swiftSettings: sanitizesThreads ? [.define("URL_LOADING_THREAD_SANITIZER")] : []),
    .target(
      name: "URLLoadingX509", dependencies: ["URLLoadingBase", "URLLoadingCOpenSSL"], path: "Sources/X509"),
    .target(
      name: "URLLoadingCurlTransport",
      dependencies: [
        "URLLoadingBase", "URLLoadingX509", "URLLoadingCCurl", "URLLoadingCOpenSSL", "URLLoadingCLinux",
        "URLLoadingCBlockCache", "URLLoadingCZlib", "URLLoadingCBrotli", "URLLoadingCZstd",
      ], path: "Sources/CurlTransport"),
    .target(name: "URLLoadingHTTPSemantics", dependencies: ["URLLoadingBase"], path: "Sources/HTTPSemantics"),
    .target(
      name: "URLLoading",
      dependencies: [
        "URLLoadingBase", "URLLoadingHTTPSemantics", "URLLoadingX509", "URLLoadingCurlTransport",
        "URLLoadingCEnumerations", "URLLoadingCLinux", "URLLoadingCGSSAPI", "URLLoadingCPSL", "URLLoadingCZlib",
        "URLLoadingSQLite",
      ],
      swiftSettings: dropIn("URLLoading")),
    .target(name: "FoundationNetworking", dependencies: ["URLLoading"], swiftSettings: dropIn("URLLoading")),
    .target(name: "URLProtocolTesting", dependencies: ["URLLoading"], swiftSettings: dropIn("URLProtocolTesting")),
    .target(
      name: "URLLoadingHTTPTypes",
      dependencies: ["URLLoading", "URLLoadingBase", .product(name: "HTTPTypes", package: "swift-http-types")]),
    .target(
      name: "URLLoadingCombine",
      dependencies: ["URLLoading", "URLLoadingBase", .product(name: "OpenCombine", package: "OpenCombine")]),
    .target(
      name: "URLLoadingLogging",
      dependencies: ["URLLoading", "URLLoadingHTTPSemantics", .product(name: "Logging", package: "swift-log")]),
    // Its pkg-config file has options that packages may not have, and nothing that is needed.
    .systemLibrary(name: "URLLoadingCHiredis", path: "Sources/CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .target(
      name: "URLLoadingRedis",
      dependencies: [
        "URLLoading", "URLLoadingBase", "URLLoadingCurlTransport", "URLLoadingX509", "URLLoadingCHiredis",
      ]),
    .systemLibrary(
      name: "URLLoadingCArchive", path: "Plugins/Archive/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"])]
    ),
    .target(
      name: "ArchiveProtocol",
      dependencies: [
        "URLLoading", "URLLoadingBase", "URLLoadingHTTPSemantics", "URLLoadingCArchive", "URLLoadingCZlib",
      ],
      path: "Plugins/Archive/ArchiveProtocol", swiftSettings: dropIn("ArchiveProtocol")),
    .systemLibrary(
      name: "URLLoadingCSSH2", path: "Plugins/SFTP/CSSH2", pkgConfig: "libssh2", providers: [.apt(["libssh2-1-dev"])]),
    .target(
      name: "SFTPProtocol",
      dependencies: [
        "URLLoading", "URLLoadingBase", "URLLoadingHTTPSemantics", "URLLoadingCSSH2", "URLLoadingCOpenSSL",
      ],
      path: "Plugins/SFTP/SFTPProtocol", swiftSettings: dropIn("SFTPProtocol")),
    .target(
      name: "WebDAVProtocol", dependencies: ["URLLoading", "URLLoadingBase", "URLLoadingHTTPSemantics"],
      path: "Plugins/WebDAV/WebDAVProtocol", swiftSettings: dropIn("WebDAVProtocol")),
    .executableTarget(
      name: "urlload",
      dependencies: [
        "URLLoading", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol", "URLLoadingBase", "URLLoadingHTTPSemantics",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "urlload-pac"),
    .executableTarget(
      name: "urlloadd",
      dependencies: [
        "URLLoading", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol", "URLLoadingBase", "URLLoadingSQLite",
        "URLLoadingCLinux", "URLLoadingCCrashRecord",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "URLLoadingPrivateScheme", dependencies: ["URLLoading"], path: "Samples/PrivateScheme"),
    .executableTarget(name: "URLLoadingDirectScheme", dependencies: ["URLLoading"], path: "Samples/DirectScheme"),
    .executableTarget(name: "URLLoadingMemoryScheme", dependencies: ["URLLoading"], path: "Samples/MemoryScheme"),
    .executableTarget(name: "URLLoadingLoadEverything", dependencies: ["URLLoading"], path: "Samples/LoadEverything"),
    .executableTarget(
      name: "URLLoadingDelegateDownload", dependencies: ["URLLoading"], path: "Samples/DelegateDownload"),
    .executableTarget(
      name: "URLLoadingCombineUsers", dependencies: ["URLLoading", "URLLoadingCombine"], path: "Samples/CombineUsers"),
    .executableTarget(
      name: "URLLoadingBackgroundDownload", dependencies: ["URLLoading"], path: "Samples/BackgroundDownload"),
    .executableTarget(name: "URLLoadingLineClient", dependencies: ["URLLoading"], path: "Samples/LineClient"),
    .executableTarget(name: "URLLoadingEventLog", dependencies: ["URLLoading"], path: "Samples/EventLog"),
    .executableTarget(
      name: "URLLoadingSFTPFiles", dependencies: ["URLLoading", "SFTPProtocol"], path: "Samples/SFTPFiles"),
    .systemLibrary(name: "URLLoadingCGlibcExtensions", path: "Tests/CGlibcExtensions"),
    .target(name: "URLLoadingCTestEnvironment", path: "Tests/CTestEnvironment"),
    .target(
      name: "URLLoadingTestServers",
      dependencies: ["URLLoadingCGlibcExtensions", "URLLoadingCTestEnvironment", "URLLoadingBase", "URLLoadingCLinux"],
      path: "Tests/TestServers",
      exclude: ["Scripts"]),
    .testTarget(name: "TestServersTests", dependencies: ["URLLoadingTestServers"]),
    .systemLibrary(
      name: "URLLoadingCBrotliEncoder", path: "Tests/CBrotliEncoder", pkgConfig: "libbrotlienc",
      providers: [.apt(["libbrotli-dev"])]),
    .testTarget(name: "URLLoadingBaseTests", dependencies: ["URLLoadingBase", "URLLoadingTestServers"]),
    .testTarget(name: "HTTPSemanticsTests", dependencies: ["URLLoadingHTTPSemantics", "URLLoadingTestServers"]),
    .testTarget(name: "URLLoadingSQLiteTests", dependencies: ["URLLoadingSQLite", "URLLoadingTestServers"]),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: [
        "URLLoadingBase", "URLLoadingX509", "URLLoadingCurlTransport", "URLLoadingTestServers",
        "URLLoadingCBlockCache", "URLLoadingCZlib", "URLLoadingCBrotliEncoder", "URLLoadingCZstd",
      ]),
    .executableTarget(
      name: "URLLoadingDownloadWorker", dependencies: ["URLLoading", "SFTPProtocol"],
      path: "Tests/Fixtures/DownloadWorker"),
    .executableTarget(
      name: "URLLoadingConnectivityWorker",
      dependencies: [
        "URLLoading", "URLLoadingBase", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol", "URLLoadingTestServers",
      ],
      path: "Tests/Fixtures/ConnectivityWorker"),
    .testTarget(
      name: "URLLoadingTests",
      dependencies: [
        "URLLoading", "URLLoadingBase", "URLLoadingHTTPSemantics", "URLLoadingX509", "URLLoadingSQLite",
        "URLLoadingCZlib", "URLLoadingCOpenSSL", "URLLoadingCLinux", "URLLoadingTestServers",
        "URLLoadingDownloadWorker", "URLLoadingConnectivityWorker",
      ],
      exclude: ["WebSocket/Autobahn/AUTOBAHN.md"]),
    .executableTarget(name: "URLLoadingDropIn", dependencies: ["FoundationNetworking"], path: "Tests/Fixtures/DropIn"),
    .testTarget(name: "FoundationNetworkingTests", dependencies: ["URLLoadingDropIn", "URLLoadingTestServers"]),
    .testTarget(
      name: "URLProtocolTestingTests",
      dependencies: [
        "URLProtocolTesting", "URLLoading", "URLLoadingBase", "URLLoadingMemoryScheme", "URLLoadingTestServers",
      ]),
    .testTarget(
      name: "URLLoadingHTTPTypesTests", dependencies: ["URLLoadingHTTPTypes", "URLLoading", "URLLoadingTestServers"]),
    .executableTarget(
      name: "URLLoadingCombineIsolation",
      dependencies: ["URLLoading", "URLLoadingCombine", .product(name: "OpenCombine", package: "OpenCombine")],
      path: "Tests/Fixtures/CombineIsolation"),
    .testTarget(
      name: "URLLoadingCombineTests",
      dependencies: [
        "URLLoadingCombine", "URLLoading", "URLLoadingBase", "URLLoadingTestServers", "URLLoadingCombineIsolation",
      ]),
    .executableTarget(
      name: "URLLoadingRedisWorker", dependencies: ["URLLoadingRedis", "URLLoading"],
      path: "Tests/Fixtures/RedisWorker"),
    .testTarget(
      name: "URLLoadingRedisTests",
      dependencies: ["URLLoadingRedis", "URLLoading", "URLLoadingTestServers", "URLLoadingRedisWorker"]),
    .testTarget(
      name: "URLLoadingLoggingTests", dependencies: ["URLLoadingLogging", "URLLoading", "URLLoadingTestServers"]),
    .testTarget(
      name: "ArchiveProtocolTests",
      dependencies: ["ArchiveProtocol", "URLLoading", "URLProtocolTesting", "URLLoadingBase", "URLLoadingTestServers"]),
    .testTarget(
      name: "SFTPProtocolTests",
      dependencies: [
        "SFTPProtocol", "URLLoading", "URLProtocolTesting", "URLLoadingBase", "URLLoadingTestServers",
        "URLLoadingDownloadWorker",
      ]),
    .testTarget(
      name: "WebDAVProtocolTests",
      dependencies: ["WebDAVProtocol", "URLLoading", "URLProtocolTesting", "URLLoadingBase", "URLLoadingTestServers"]),
    .executableTarget(
      name: "URLLoadingBackgroundWorker", dependencies: ["URLLoading"], path: "Tests/Fixtures/BackgroundWorker"),
    .testTarget(
      name: "urlloaddTests",
      dependencies: [
        "urlload", "urlloadd", "URLLoadingBackgroundWorker", "URLLoadingConnectivityWorker", "URLLoading",
        "URLLoadingBase", "URLLoadingSQLite", "URLLoadingTestServers",
      ]),
    .testTarget(
      name: "urlloadTests",
      dependencies: ["urlload", "urlloadd", "URLLoadingBase", "URLLoadingCurlTransport", "URLLoadingTestServers"],
      exclude: ["Transcript/transcript.txt"]),
    .executableTarget(name: "article-extractor", path: "Tests/Articles/Extractor"),
    .plugin(
      name: "ArticlePlugin", capability: .buildTool(), dependencies: ["article-extractor"],
      path: "Tests/Articles/Plugin"
    ),
    .executableTarget(
      name: "URLLoadingArticles",
      dependencies: [
        "URLLoading", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol", "URLLoadingCombine", "URLLoadingRedis",
        "URLLoadingHTTPTypes", "URLLoadingLogging", "URLProtocolTesting",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Articles/Programs", plugins: ["ArticlePlugin"]),
    .testTarget(
      name: "SamplesTests",
      dependencies: [
        "URLLoadingArticles",
        "URLLoadingPrivateScheme", "URLLoadingMemoryScheme", "URLLoadingLoadEverything", "URLLoadingDelegateDownload",
        "URLLoadingSFTPFiles", "URLLoadingEventLog", "URLLoadingLineClient", "URLLoadingBackgroundDownload", "urlloadd",
        "URLLoadingCombineUsers", "URLLoadingDirectScheme",
        "URLLoadingTestServers",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

/// What has a dependency of its own has no place in the drop-in folder: graphs may have another version of it.
let adapters = ["URLLoadingHTTPTypes", "URLLoadingLogging", "URLLoadingRedis", "URLLoadingCombine"]

if buildsDropIn {
  // One product, so that one build compiles every object, and no other package.
  package.targets.removeAll {
    if buildsService, $0.name == "urlloadd" { return false }
    return $0.type == .executable || $0.type == .test || $0.type == .plugin || adapters.contains($0.name)
  }
  if !buildsService { package.dependencies = [] }
  let modules = ["FoundationNetworking", "URLProtocolTesting", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol"]
  package.products = [.library(name: "URLLoadingDropInObjects", type: .static, targets: modules)]
  if buildsService { package.products = [.executable(name: "urlloadd", targets: ["urlloadd"])] }
}

// For graphs whose manifests name our products: with the toolset of a drop-in folder the products add nothing to its modules.
if Context.environment["URL_LOADING_USE_DROP_IN"] != nil {
  let libraries = package.products.filter { $0 is Product.Library && !adapters.contains($0.name) }.map(\.name)
  package.targets = [.target(name: "URLLoadingFromDropIn", path: "Sources/FromDropIn")]
  package.products = libraries.map { .library(name: $0, targets: ["URLLoadingFromDropIn"]) }
  package.dependencies = []
}

// Renders the manual (`Scripts/make-docs`).
if Context.environment["URL_LOADING_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// A part of the tests and what they need, for a quick build: `URL_LOADING_ONLY_TESTS="URLLoadingTests/Stages/Cookies urlloadTests"`. A name may
// say which of the target's folders is compiled, beside those that its tests share.
if let selection = Context.environment["URL_LOADING_ONLY_TESTS"]?.split(separator: " ") {
  var folders: [String: [String]] = [:]
  for item in selection {
    let parts = item.split(separator: "/", maxSplits: 1).map(String.init)
    folders[parts[0], default: []] += parts.dropFirst()
  }
  for target in package.targets where target.type == .test {
    guard let chosen = folders[target.name], !chosen.isEmpty else { continue }
    target.sources = chosen + ["Support", "Suite.swift"]
  }
  var needed = Set(folders.keys)
  var open = Array(needed)
  while let name = open.popLast() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): if needed.insert(name).inserted { open.append(name) }
      default: break
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !targets.allSatisfy(needed.contains)
  }
}
