// swift-tools-version: 6.2
import PackageDescription

/// The thread sanitizer does not see `Synchronization.Mutex`: its build has another lock (`Locked`).
let sanitizesThreads = Context.environment["URL_LOADING_SANITIZING"] == "thread"

let package = Package(
  name: "swift-url-loading",
  products: [
    .library(name: "URLLoading", targets: ["URLLoading"]),
    .library(name: "FoundationNetworking", targets: ["FoundationNetworking"]),
    .library(name: "URLProtocolTesting", targets: ["URLProtocolTesting"]),
    .library(name: "ArchiveProtocol", targets: ["ArchiveProtocol"]),
    .library(name: "SFTPProtocol", targets: ["SFTPProtocol"]),
    .library(name: "SFTPKeystream", targets: ["SFTPKeystream"]),
    .executable(name: "urlload", targets: ["urlload"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(
      name: "URLLoadingCCurl", path: "Sources/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
    .systemLibrary(
      name: "URLLoadingCPSL", path: "Sources/CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(
      name: "URLLoadingCZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "URLLoadingCBrotli", path: "Sources/CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(
      name: "URLLoadingCZstd", path: "Sources/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "URLLoadingCBlockCache", path: "Sources/CBlockCache"),
    .target(name: "URLLoadingCLinux", path: "Sources/CLinux"),
    .target(
      name: "URLLoadingBase", dependencies: ["URLLoadingCLinux"],
      swiftSettings: sanitizesThreads ? [.define("URL_LOADING_THREAD_SANITIZER")] : []),
    .target(
      name: "URLLoadingCurlTransport",
      dependencies: [
        "URLLoadingBase", "URLLoadingCCurl", "URLLoadingCLinux", "URLLoadingCBlockCache", "URLLoadingCZlib",
        "URLLoadingCBrotli",
        "URLLoadingCZstd",
      ], path: "Sources/CurlTransport"),
    .target(
      name: "URLLoading",
      dependencies: ["URLLoadingBase", "URLLoadingCurlTransport", "URLLoadingCLinux", "URLLoadingCPSL"]),
    .target(name: "FoundationNetworking", dependencies: ["URLLoading"]),
    .target(name: "URLProtocolTesting", dependencies: ["URLLoading"]),
    .systemLibrary(
      name: "URLLoadingCArchive", path: "Plugins/Archive/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"])]
    ),
    .target(
      name: "ArchiveProtocol", dependencies: ["URLLoading", "URLLoadingBase", "URLLoadingCArchive", "URLLoadingCZlib"],
      path: "Plugins/Archive/ArchiveProtocol"),
    .systemLibrary(
      name: "URLLoadingCSSH2", path: "Plugins/SFTP/CSSH2", pkgConfig: "libssh2", providers: [.apt(["libssh2-1-dev"])]),
    .systemLibrary(
      name: "URLLoadingCOpenSSL", path: "Plugins/SFTP/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]),
    .target(name: "URLLoadingCKeystream", dependencies: ["URLLoadingCOpenSSL"], path: "Plugins/SFTP/CKeystream"),
    .target(
      name: "SFTPProtocol",
      dependencies: ["URLLoading", "URLLoadingBase", "URLLoadingCSSH2", "URLLoadingCOpenSSL"],
      path: "Plugins/SFTP/SFTPProtocol"),
    .target(
      name: "SFTPKeystream", dependencies: ["SFTPProtocol", "URLLoadingCKeystream"], path: "Plugins/SFTP/SFTPKeystream"),
    .executableTarget(
      name: "urlload",
      dependencies: [
        "URLLoading", "ArchiveProtocol", "SFTPProtocol", "URLLoadingBase",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "URLLoadingPrivateScheme", dependencies: ["URLLoading"], path: "Samples/PrivateScheme"),
    .executableTarget(name: "URLLoadingMemoryScheme", dependencies: ["URLLoading"], path: "Samples/MemoryScheme"),
    .executableTarget(name: "URLLoadingLoadEverything", dependencies: ["URLLoading"], path: "Samples/LoadEverything"),
    .executableTarget(
      name: "URLLoadingDelegateDownload", dependencies: ["URLLoading"], path: "Samples/DelegateDownload"),
    .executableTarget(
      name: "URLLoadingSFTPFiles", dependencies: ["URLLoading", "SFTPProtocol"], path: "Samples/SFTPFiles"),
    .systemLibrary(name: "URLLoadingCGlibcExtensions", path: "Tests/CGlibcExtensions"),
    .target(
      name: "URLLoadingTestServers", dependencies: ["URLLoadingCGlibcExtensions", "URLLoadingBase"],
      path: "Tests/TestServers",
      exclude: ["Scripts"]),
    .testTarget(name: "TestServersTests", dependencies: ["URLLoadingTestServers"]),
    .systemLibrary(
      name: "URLLoadingCBrotliEncoder", path: "Tests/CBrotliEncoder", pkgConfig: "libbrotlienc",
      providers: [.apt(["libbrotli-dev"])]),
    .testTarget(name: "URLLoadingBaseTests", dependencies: ["URLLoadingBase", "URLLoadingTestServers"]),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: [
        "URLLoadingBase", "URLLoadingCurlTransport", "URLLoadingTestServers", "URLLoadingCBlockCache",
        "URLLoadingCZlib", "URLLoadingCBrotliEncoder", "URLLoadingCZstd",
      ]),
    .executableTarget(
      name: "URLLoadingDownloadWorker", dependencies: ["URLLoading", "SFTPProtocol"],
      path: "Tests/Fixtures/DownloadWorker"),
    .testTarget(
      name: "URLLoadingTests",
      dependencies: ["URLLoading", "URLLoadingBase", "URLLoadingTestServers", "URLLoadingDownloadWorker"]),
    .executableTarget(name: "URLLoadingDropIn", dependencies: ["FoundationNetworking"], path: "Tests/Fixtures/DropIn"),
    .testTarget(name: "FoundationNetworkingTests", dependencies: ["URLLoadingDropIn", "URLLoadingTestServers"]),
    .testTarget(
      name: "URLProtocolTestingTests",
      dependencies: [
        "URLProtocolTesting", "URLLoading", "URLLoadingBase", "URLLoadingMemoryScheme", "URLLoadingTestServers",
      ]),
    .testTarget(
      name: "ArchiveProtocolTests",
      dependencies: ["ArchiveProtocol", "URLLoading", "URLProtocolTesting", "URLLoadingBase", "URLLoadingTestServers"]),
    .testTarget(
      name: "SFTPProtocolTests",
      dependencies: [
        "SFTPProtocol", "URLLoading", "URLProtocolTesting", "URLLoadingBase", "URLLoadingTestServers",
        "URLLoadingDownloadWorker", "SFTPKeystream", "URLLoadingCKeystream", "URLLoadingCOpenSSL",
      ]),
    .testTarget(name: "urlloadTests", dependencies: ["urlload", "URLLoadingBase", "URLLoadingTestServers"]),
    .testTarget(
      name: "SamplesTests",
      dependencies: [
        "URLLoadingPrivateScheme", "URLLoadingMemoryScheme", "URLLoadingLoadEverything", "URLLoadingDelegateDownload",
        "URLLoadingSFTPFiles", "URLLoadingTestServers",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
