// swift-tools-version: 6.2
import PackageDescription

/// At a place in memory that the linker gives it: a program that may be put anywhere writes 75,000 addresses before it starts.
let fixedPlace = ["-Xclang-linker", "-no-pie"]

/// The compiler's library for unwinding: each shared one that libcurl does not bring anyway takes a tenth of a millisecond to open.
let staticUnwinder = ["-Xclang-linker", "-static-libgcc"]

/// Where `Scripts/static-libcxx` puts the C++ library, the static one alone: the compiler asks for it by a name that both have. The
/// shared one costs 2,000 look-ups in each of the libraries that libcurl needs.
let staticCxx = "-L\(Context.packageDirectory)/.build/static"

/// What Foundation's static libraries need of each other. Modules that were compiled for the shared ones do not say so, and the
/// compiler would put plain `-l` options in an order of its own.
let foundation = [
  "-lFoundation", "-lFoundationEssentials", "-lFoundationInternationalization", "-l_FoundationCollections",
  "-l_FoundationCShims", "-l_FoundationICU", "-lCoreFoundation", "-lswiftSynchronization", "-lswiftDispatch",
  "-ldispatch", "-lBlocksRuntime",
]

/// Links a program with the Swift libraries inside, as servers are deployed, and with what else their static ones need.
func swiftInside(and libraries: [String] = []) -> [LinkerSetting] {
  let libraries = ["--start-group"] + foundation + libraries + ["--end-group", "-lstdc++"]
  return [
    .unsafeFlags(
      ["-static-stdlib", staticCxx] + fixedPlace + staticUnwinder + libraries.flatMap { ["-Xlinker", $0] })
  ]
}

let urlLoading = Target.Dependency.product(name: "URLLoading", package: "swift-url-loading")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

// A package of its own, so that peers and their dependencies are none of the library's.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "swift-url-loading", path: ".."),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
  ],
  targets: [
    .target(name: "Measuring"),
    .executableTarget(
      name: "load-bench", dependencies: ["Measuring", urlLoading], linkerSettings: swiftInside(and: ["-lcurl"])),
    // The same source, with the toolchain's FoundationNetworking.
    .executableTarget(
      name: "peer-bench", dependencies: ["Measuring"], swiftSettings: [.define("PEER")],
      linkerSettings: swiftInside(and: ["-l_CFURLSessionInterface", "-lcurl"])),
    .executableTarget(
      name: "async-http-client-bench",
      dependencies: ["Measuring", asyncHTTPClient, .product(name: "_NIOFileSystem", package: "swift-nio")],
      linkerSettings: swiftInside()),
    .executableTarget(
      name: "plugin-bench",
      dependencies: [
        "Measuring", urlLoading, .product(name: "ArchiveProtocol", package: "swift-url-loading"),
        .product(name: "SFTPProtocol", package: "swift-url-loading"),
      ],
      linkerSettings: swiftInside(and: ["-lcurl"])),
    .executableTarget(
      name: "background-bench", dependencies: ["Measuring", urlLoading], linkerSettings: swiftInside(and: ["-lcurl"])),
    .executableTarget(
      name: "websocket-bench", dependencies: ["Measuring", urlLoading], linkerSettings: swiftInside(and: ["-lcurl"])),
    .executableTarget(
      name: "nio-websocket-bench",
      dependencies: [
        "Measuring", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
      ], linkerSettings: swiftInside()),
    // Programs that load one URL and say when its first byte came. The package in Static has the others that have everything inside.
    .executableTarget(name: "first-byte", dependencies: [urlLoading]),
    .executableTarget(name: "peer-first-byte", swiftSettings: [.define("PEER")]),
    .executableTarget(name: "async-http-client-first-byte", dependencies: [asyncHTTPClient]),
    .executableTarget(
      name: "async-http-client-first-byte-static", dependencies: [asyncHTTPClient], linkerSettings: swiftInside()),
  ],
  swiftLanguageModes: [.v6]
)
