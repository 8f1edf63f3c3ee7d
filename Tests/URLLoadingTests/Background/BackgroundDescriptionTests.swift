import Foundation
import Testing

@testable import URLLoading

/// What the transfer service hears of a background session.
@Suite struct BackgroundDescriptionTests {
  private let configuration = URLSessionConfiguration.background(withIdentifier: "described")

  private func description() throws -> BackgroundSessionDescription {
    let settings = try #require(configuration.snapshot.background)
    return BackgroundSessionDescription(settings, configuration)
  }

  @Test func noLaunchWithoutLaunchEvents() throws {
    configuration.backgroundLaunch = .systemdUnit("a.service")
    #expect(try description().launch == .systemdUnit("a.service"))
    configuration.sessionSendsLaunchEvents = false
    #expect(try description().launch == nil)
  }

  /// What an older program says has no policy; the queue tries again after failures in any case.
  @Test func retries() throws {
    #expect(try description().retryPolicy == nil)
    var policy = URLSessionConfiguration.RetryPolicy()
    policy.statusCodes = [503]
    configuration.retryPolicy = policy
    var described = try description()
    #expect(described.retryPolicy == policy)
    let service = URLSessionConfiguration.service(for: described, files: "/nowhere")
    #expect(service.retryPolicy?.statusCodes == [503] && service.retryPolicy?.failureCodes == [])
    described.retryPolicy = nil
    let text = String(decoding: try JSONEncoder().encode(described), as: UTF8.self)
    #expect(!text.contains("retryPolicy"))
    let older = try JSONDecoder().decode(BackgroundSessionDescription.self, from: Data(text.utf8))
    #expect(URLSessionConfiguration.service(for: older, files: "/nowhere").retryPolicy == nil)
  }

  @Test func tasksHaveAWeek() throws {
    #expect(try description().resourceTimeout == 7 * 24 * 3600)
    configuration.timeoutIntervalForResource = 5
    #expect(try description().resourceTimeout == 5)
  }
}
