import Foundation
import URLLoadingTestServers

@testable import SFTPProtocol

/// Judges host keys as a test tells it to, and keeps those that it saw.
final class TestHostKeyPolicy: HostKeyPolicy {
  let seen = Watched<[HostKeyOffer]>([])
  private let types: [String]
  private let judging: @Sendable (HostKeyOffer) async -> HostKeyDecision

  init(
    knownTypes types: [String] = [],
    judging: @escaping @Sendable (HostKeyOffer) async -> HostKeyDecision = { _ in .accept }
  ) {
    self.types = types
    self.judging = judging
  }

  func knownKeyTypes(host: String, port: UInt16) -> [String] { types }

  func judge(_ offer: HostKeyOffer) async -> HostKeyDecision {
    seen.update { $0.append(offer) }
    return await judging(offer)
  }
}
