import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What the declarations of a configuration's properties say is what the interface, the transfer service and the manual have.
@Suite struct ConfigurationPropertyTests {
  private let declared = DeclaredProperty.all.properties

  /// A description of a background session, and what the transfer service makes of it.
  private func sent(
    _ configure: (URLSessionConfiguration) -> Void
  ) throws -> (description: BackgroundSessionDescription, service: URLSessionConfiguration) {
    let configuration = URLSessionConfiguration.background(withIdentifier: "declared")
    configuration.backgroundLaunch = .systemdUnit("a.service")
    configure(configuration)
    let settings = try #require(configuration.snapshot.background)
    let description = BackgroundSessionDescription(settings, configuration)
    var received = try JSONDecoder().decode(
      BackgroundSessionDescription.self, from: try JSONEncoder().encode(description))
    #expect(received == description)
    // Other tests change the environment.
    received.environment = nil
    return (received, .service(for: received, files: "/files"))
  }

  @Test func thoseOfTheInterfaceAreDeclared() throws {
    let list = try String(contentsOf: PackageFolder.root.appending(path: "API/URLLoading.txt"), encoding: .utf8)
    let listed = list.split(separator: "\n").compactMap {
      $0.wholeMatch(of: /URLSessionConfiguration\.(\w+): var .*/).map { String($0.1) }
    }
    // The first two are of background sessions alone, the others settings of protocol classes.
    let others = ["identifier", "backgroundLaunch", "network", "webSocket", "httpOmittedHeaders"]
    let internals = ["asksAboutConnections", "downloadDirectory"]
    #expect(Set(declared.map(\.name)) == Set(listed).subtracting(others).union(internals))
    #expect(DeclaredProperty.all.others == ["background", "settings", "received"])
  }

  @Test func eachReachesTheTransferServiceAsDeclared() throws {
    let samples = ConfigurationSample.all
    #expect(Set(samples.keys) == Set(declared.map(\.name)))
    let unset = try sent { _ in }
    for property in declared {
      let sample = try #require(samples[property.name])
      let (description, service) = try sent(sample.set)
      let isTold = property.reaches(
        SessionReaches.Sent.self, SessionReaches.Queued.self, SessionReaches.OnlyQueued.self)
      #expect((description != unset.description) == isTold, "\(property.name)")
      guard property.reaches(SessionReaches.Sent.self) else { continue }
      #expect(sample.isSet(service) && !sample.isSet(unset.service), "\(property.name)")
    }
  }

  @Test func thoseOfRequestsComeWithEachRequest() throws {
    for property in declared {
      let configuration = URLSessionConfiguration.ephemeral
      try #require(ConfigurationSample.all[property.name]).set(configuration)
      let session = URLSession(configuration: configuration)
      let request = URLRequest(url: "http://a.example/")
      #expect(
        (session.completedForService(request) != request) == property.reaches(SessionReaches.InRequests.self),
        "\(property.name)")
      session.invalidateAndCancel()
    }
  }

  @Test func theManualListsThoseWithoutEffect() throws {
    let article = PackageFolder.root.appending(path: "Sources/URLLoading/URLLoading.docc/WithoutEffect.md")
    var listed: [String: Bool] = [:]
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
      let cell = line.dropFirst(2).prefix { $0 != "|" }
      for name in Self.names(in: cell) { listed[name] = cell.contains("outside background sessions") }
    }
    for property in declared {
      let expected: Bool? =
        property.reaches(SessionReaches.WithoutEffect.self)
        ? false : property.reaches(SessionReaches.OnlyQueued.self) ? true : nil
      #expect(listed[property.name] == expected, "\(property.name)")
    }
  }

  /// The properties of configurations that a line is about: "``URLSessionConfiguration/name``", or "`name` of … ``URLSessionConfiguration``".
  private static func names(in cell: Substring) -> [String] {
    let subject = cell.prefix(upTo: cell.firstRange(of: #/ (?:of|in) /#)?.lowerBound ?? cell.endIndex)
    let linked = subject.matches(of: /``URLSessionConfiguration\/(\w+)``/).map { String($0.1) }
    guard cell.dropFirst(subject.count).contains("``URLSessionConfiguration``") else { return linked }
    return linked + subject.matches(of: /`(\w+)`/).map { String($0.1) }
  }
}
