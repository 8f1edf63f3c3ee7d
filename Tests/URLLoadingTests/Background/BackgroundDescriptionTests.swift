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

  @Test func tasksHaveAWeek() throws {
    #expect(try description().resourceTimeout == 7 * 24 * 3600)
    configuration.timeoutIntervalForResource = 5
    #expect(try description().resourceTimeout == 5)
  }
}
