// swift-tools-version: 6.2
import PackageDescription

let urlLoading = Target.Dependency.product(name: "URLLoading", package: "swift-url-loading")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")

// A package of its own, so that these dependencies are none of the library's.
let package = Package(
  name: "swift-url-loading-integrations",
  products: [
    .library(name: "URLLoadingTracing", targets: ["URLLoadingTracing"]),
    .library(name: "URLLoadingMetrics", targets: ["URLLoadingMetrics"]),
    .library(name: "URLLoadingServiceLifecycle", targets: ["URLLoadingServiceLifecycle"]),
  ],
  dependencies: [
    .package(name: "swift-url-loading", path: ".."),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
  ],
  targets: [
    .target(name: "URLLoadingTelemetry", dependencies: [urlLoading]),
    .target(name: "URLLoadingTracing", dependencies: ["URLLoadingTelemetry", urlLoading, tracing]),
    .target(name: "URLLoadingMetrics", dependencies: ["URLLoadingTelemetry", urlLoading, metrics]),
    .target(
      name: "URLLoadingServiceLifecycle",
      dependencies: [
        urlLoading, .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // Loads with and without listeners that nobody listens to, for Scripts/integrations-cost.
    .executableTarget(
      name: "integrations-cost", dependencies: ["URLLoadingTracing", "URLLoadingMetrics", urlLoading], path: "Cost"),
    .target(
      name: "URLLoadingIntegrationsTestSupport",
      dependencies: [
        urlLoading, tracing, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      path: "Tests/Support"),
    .testTarget(name: "URLLoadingTelemetryTests", dependencies: ["URLLoadingTelemetry", urlLoading]),
    .testTarget(
      name: "URLLoadingTracingTests",
      dependencies: [
        "URLLoadingTracing", "URLLoadingIntegrationsTestSupport", urlLoading, tracing,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "URLLoadingMetricsTests",
      dependencies: [
        "URLLoadingMetrics", "URLLoadingIntegrationsTestSupport", urlLoading, metrics,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "URLLoadingServiceLifecycleTests",
      dependencies: [
        "URLLoadingServiceLifecycle", "URLLoadingIntegrationsTestSupport", urlLoading,
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ],
  swiftLanguageModes: [.v6])
