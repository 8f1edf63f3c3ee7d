import Foundation

@testable import URLLoading

/// What a load from a server of some condition comes to, and its words in the table.
enum TrustOutcome: Equatable, Sendable, CustomStringConvertible {
  /// The server was loaded from, in spite of checks that failed, if any.
  case loads(without: Set<URLSessionTaskTransactionMetrics.WeakenedCheck.Check>)
  case fails(URLError.Code)

  private static let codes: [String: URLError.Code] = [
    "expired": .serverCertificateHasBadDate, "early": .serverCertificateNotYetValid,
    "unknown": .serverCertificateUntrusted, "untrusted": .serverCertificateUntrusted, "cancelled": .cancelled,
    "tls": .secureConnectionFailed, "lost": .networkConnectionLost, "required": .clientCertificateRequired,
    "rejected": .clientCertificateRejected,
  ]

  private static let checks: [String: URLSessionTaskTransactionMetrics.WeakenedCheck.Check] = [
    "chain": .certificateChain, "name": .hostName, "date": .validity, "revocation": .revocation,
  ]

  /// Reads a cell of the table: `loads`, what failed, or each check that was overridden after a minus.
  init?(_ text: String) {
    if text == "loads" {
      self = .loads(without: [])
    } else if let code = Self.codes[text] {
      self = .fails(code)
    } else {
      let names = text.split(separator: " ").map { $0.hasPrefix("-") ? String($0.dropFirst()) : "?" }
      let checks = names.compactMap { Self.checks[$0] }
      guard !checks.isEmpty, checks.count == names.count else { return nil }
      self = .loads(without: Set(checks))
    }
  }

  var description: String {
    switch self {
    case .loads(let checks) where checks.isEmpty: "loads"
    case .loads(let checks):
      Self.checks.filter { checks.contains($0.value) }.map { "-\($0.key)" }.sorted().joined(separator: " ")
    case .fails(let code): Self.codes.first { $0.value == code }?.key ?? "\(code.rawValue)"
    }
  }
}
