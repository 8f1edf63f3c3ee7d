import Foundation
import URLLoadingTestServers

extension Snippet {
  /// The server of a snippet about certificates, and what it is told besides; nil for another snippet.
  ///
  /// `SSL_CERT_FILE` makes the corpus's roots those of the system.
  func certificates() async throws -> (server: URL, environment: [String: String?])? {
    guard let condition = Self.conditions[name] else { return nil }
    let corpus = try await TLSCorpus.shared
    let server = try await TLSCorpus.server
    let local = ["wrong name", "expired and wrong name"]
    let url: (String) throws -> URL = { try server.url($0, host: local.contains($0) ? "localhost" : "127.0.0.1") }
    var environment: [String: String?] = ["SSL_CERT_FILE": corpus.file("authorities.pem").path]
    environment["CERTIFICATE"] = corpus.file("\(condition).der").path
    switch name {
    case "PinPublicKeyHash":
      environment["PIN"] = try String(contentsOf: corpus.file("\(condition).pin"), encoding: .utf8)
    case "PinPublicKey": environment["OTHER_CERTIFICATE"] = corpus.file("expired.der").path
    case "PinAuthority":
      environment["AUTHORITY"] = corpus.file("root.der").path
      environment["OTHER_URL"] = try url("unknown authority").absoluteString
    case "ClientCertificate": environment["PKCS12"] = corpus.file("alice.p12").path
    case "MinimumTLS": environment["OLD_URL"] = try url("TLS 1.2").absoluteString
    case "TaskTrust", "TrustSelfSigned": environment["SSL_CERT_FILE"] = .some(nil)
    default: environment["OTHER_URL"] = try url("good").absoluteString
    }
    if let bad = Self.furtherConditions[name] {
      environment["BAD_URLS"] = try bad.map { try url($0).absoluteString }.joined(separator: " ")
    }
    return (try url(condition), environment)
  }

  /// The condition of the server that a snippet is given.
  private static let conditions = [
    "AcceptExpired": "expired", "AsyncTrustDelegate": "self-signed", "CertificateSummary": "good",
    "ClientCertificate": "client required", "EvaluateTrust": "good", "MinimumTLS": "TLS 1.3", "PinAuthority": "good",
    "PinCertificate": "self-signed", "PinPublicKey": "good", "PinPublicKeyHash": "RSA 2048", "TaskTrust": "self-signed",
    "TrustResult": "good", "TrustSelfSigned": "self-signed",
  ]

  /// Those of servers that it loads from behind that.
  private static let furtherConditions = [
    "AcceptExpired": ["good", "expired and wrong name", "expired from unknown", "expired and revoked", "self-signed"],
    "EvaluateTrust": ["expired", "wrong name", "self-signed", "not yet valid"],
    "TrustResult": ["self-signed", "stapled revoked"],
  ]
}
