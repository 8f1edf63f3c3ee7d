// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "swift-url-loading",
  products: [
    .library(name: "URLLoading", targets: ["URLLoading"]),
    .library(name: "FoundationNetworking", targets: ["FoundationNetworking"]),
    .library(name: "URLProtocolTesting", targets: ["URLProtocolTesting"]),
    .library(name: "ArchiveProtocol", targets: ["ArchiveProtocol"]),
    .library(name: "SFTPProtocol", targets: ["SFTPProtocol"]),
    .executable(name: "urlload", targets: ["urlload"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CBlockCache"),
    .target(name: "CFutexLock"),
    .target(name: "CImmediateRead"),
    .target(name: "CurlTransport", dependencies: ["CCurl", "CBlockCache", "CFutexLock", "CZlib", "CBrotli", "CZstd"]),
    .target(name: "URLLoading", dependencies: ["CurlTransport", "CImmediateRead", "CPSL"]),
    .target(name: "FoundationNetworking", dependencies: ["URLLoading"]),
    .target(name: "URLProtocolTesting", dependencies: ["URLLoading"]),
    .systemLibrary(
      name: "CArchive", path: "Plugins/Archive/CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]
    ),
    .target(
      name: "ArchiveProtocol", dependencies: ["URLLoading", "CurlTransport", "CArchive", "CZlib"],
      path: "Plugins/Archive/ArchiveProtocol"),
    .systemLibrary(
      name: "CSSH2", path: "Plugins/SFTP/CSSH2", pkgConfig: "libssh2", providers: [.apt(["libssh2-1-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Plugins/SFTP/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "CKeystream", dependencies: ["COpenSSL"], path: "Plugins/SFTP/CKeystream"),
    .target(
      name: "SFTPProtocol", dependencies: ["URLLoading", "CurlTransport", "CSSH2", "COpenSSL", "CKeystream"],
      path: "Plugins/SFTP/SFTPProtocol"),
    .executableTarget(
      name: "urlload",
      dependencies: [
        "URLLoading", "ArchiveProtocol", "SFTPProtocol", "CurlTransport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "PrivateScheme", dependencies: ["URLLoading"], path: "Samples/PrivateScheme"),
    .executableTarget(name: "MemoryScheme", dependencies: ["URLLoading"], path: "Samples/MemoryScheme"),
    .executableTarget(name: "LoadEverything", dependencies: ["URLLoading"], path: "Samples/LoadEverything"),
    .executableTarget(name: "DelegateDownload", dependencies: ["URLLoading"], path: "Samples/DelegateDownload"),
    .executableTarget(
      name: "SFTPFiles", dependencies: ["URLLoading", "SFTPProtocol"], path: "Samples/SFTPFiles"),
    .systemLibrary(name: "CGlibcExtensions", path: "Tests/CGlibcExtensions"),
    .target(
      name: "TestServers", dependencies: ["CGlibcExtensions", "CurlTransport"], path: "Tests/TestServers",
      exclude: ["Scripts"]),
    .testTarget(name: "TestServersTests", dependencies: ["TestServers"]),
    .systemLibrary(
      name: "CBrotliEncoder", path: "Tests/CBrotliEncoder", pkgConfig: "libbrotlienc",
      providers: [.apt(["libbrotli-dev"])]),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: ["CurlTransport", "TestServers", "CBlockCache", "CZlib", "CBrotliEncoder", "CZstd"]),
    .executableTarget(
      name: "DownloadWorker", dependencies: ["URLLoading", "SFTPProtocol"], path: "Tests/Fixtures/DownloadWorker"),
    .testTarget(name: "URLLoadingTests", dependencies: ["URLLoading", "TestServers", "DownloadWorker"]),
    .executableTarget(name: "DropIn", dependencies: ["FoundationNetworking"], path: "Tests/Fixtures/DropIn"),
    .testTarget(name: "FoundationNetworkingTests", dependencies: ["DropIn", "TestServers"]),
    .testTarget(
      name: "URLProtocolTestingTests",
      dependencies: ["URLProtocolTesting", "URLLoading", "MemoryScheme", "TestServers"]),
    .testTarget(
      name: "ArchiveProtocolTests",
      dependencies: ["ArchiveProtocol", "URLLoading", "URLProtocolTesting", "CurlTransport", "TestServers"]),
    .testTarget(
      name: "SFTPProtocolTests",
      dependencies: [
        "SFTPProtocol", "URLLoading", "URLProtocolTesting", "CurlTransport", "TestServers", "DownloadWorker",
        "CKeystream", "COpenSSL",
      ]),
    .testTarget(name: "urlloadTests", dependencies: ["urlload", "TestServers"]),
    .testTarget(
      name: "SamplesTests",
      dependencies: [
        "PrivateScheme", "MemoryScheme", "LoadEverything", "DelegateDownload", "SFTPFiles", "TestServers",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
