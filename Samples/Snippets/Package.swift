// swift-tools-version: 6.2
import PackageDescription

/// Set where `--toolset` gives the module for every package of a graph: then no package is named here.
let usesToolset = Context.environment["URL_LOADING_USE_DROP_IN"] != nil

/// A program as people paste it, which knows nothing of this library: Apple's API is all that it is written for.
/// - Parameters:
///   - warns: whether Apple's SDK lets the compiler warn about it, too.
///   - modules: what else it imports.
func snippet(
  _ name: String, _ mode: SwiftLanguageMode, warns: Bool = false, modules: [Target.Dependency] = []
) -> Target {
  .executableTarget(
    name: name,
    dependencies: usesToolset ? [] : [.product(name: "FoundationNetworking", package: "swift-url-loading")] + modules,
    swiftSettings: [.swiftLanguageMode(mode)] + (warns ? [] : [.treatAllWarnings(as: .error)]))
}

/// An app's own module `Combine`, which is one line, and programs that import it. A toolset has no product with dependencies of its own.
let combine: [Target] =
  usesToolset
  ? []
  : [
    .target(
      name: "Combine", dependencies: [.product(name: "URLLoadingCombine", package: "swift-url-loading")],
      path: "Modules/Combine"),
    snippet("CombineDecode", .v5, modules: ["Combine"]),
    snippet("CombineFallback", .v5, modules: ["Combine"]),
    snippet("CombineMainQueue", .v5, modules: ["Combine"]),
    snippet("CombineMulticast", .v5, modules: ["Combine"]),
    snippet("CombineShare", .v5, modules: ["Combine"]),
    snippet("CombineViewModel", .v6, modules: ["Combine"]),
  ]

let package = Package(
  name: "Snippets",
  dependencies: usesToolset ? [] : [.package(name: "swift-url-loading", path: "../..")],
  targets: [
    snippet("AcceptExpired", .v5),
    snippet("ActorDelegate", .v6),
    snippet("AsyncData", .v6),
    snippet("AsyncTrustDelegate", .v6),
    snippet("CacheSettings", .v5),
    snippet("CertificateSummary", .v5),
    snippet("ChildProgress", .v5),
    snippet("ClientCertificate", .v5),
    snippet("Cookies", .v5),
    snippet("DataTask", .v5),
    snippet("DownloadProgress", .v5),
    snippet("EvaluateTrust", .v5),
    snippet("ForwardingDelegate", .v5),
    snippet("LoginChallenge", .v5),
    snippet("Metrics", .v6),
    snippet("MinimumTLS", .v6),
    snippet("MockProtocolSwift5", .v5),
    snippet("MockProtocolSwift6", .v6),
    snippet("MultipartUpload", .v5),
    snippet("OwnAuthority", .v6),
    snippet("PinAuthority", .v5),
    snippet("PinCertificate", .v5),
    snippet("PinPublicKey", .v5),
    snippet("PinPublicKeyHash", .v5),
    snippet("RefusedRedirect", .v5),
    snippet("ResumeDataFile", .v5),
    snippet("ServerSentEvents", .v6),
    // Sessions and tasks are Sendable there as here, which a subclass has to restate.
    snippet("SubclassedSession", .v5, warns: true),
    snippet("TaskGroup", .v6),
    snippet("TaskPriority", .v5),
    snippet("TaskTrust", .v6),
    snippet("TopLevel", .v6),
    snippet("TrustResult", .v5),
    snippet("TrustSelfSigned", .v5),
  ] + combine
)
