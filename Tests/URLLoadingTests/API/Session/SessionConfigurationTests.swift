import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct SessionConfigurationTests {
  private func copy(_ configuration: URLSessionConfiguration) throws -> URLSessionConfiguration {
    try #require(configuration.copy() as? URLSessionConfiguration)
  }

  @Test func defaults() {
    for configuration in [URLSessionConfiguration(), .default, .ephemeral] {
      #expect(configuration.requestCachePolicy == .useProtocolCachePolicy && !configuration.requiresDNSSECValidation)
      #expect(configuration.allowsCellularAccess && configuration.allowsExpensiveNetworkAccess)
      #expect(configuration.allowsConstrainedNetworkAccess && !configuration.httpShouldUsePipelining)
      #expect(!configuration.enablesEarlyData && configuration.multipathServiceType == .none)
      #expect(configuration.usesClassicLoadingMode && !configuration.shouldUseExtendedBackgroundIdleMode)
      #expect(!configuration.isDiscretionary && !configuration.sessionSendsLaunchEvents)
      #expect(configuration.sharedContainerIdentifier == nil && configuration.identifier == nil)
    }
  }

  @Test func valuesAreKeptByCopiesAndSessions() throws {
    let configuration = URLSessionConfiguration.ephemeral
    let cache = URLCache(memoryCapacity: 1, diskCapacity: 2)
    configuration.urlCache = cache
    configuration.requestCachePolicy = .returnCacheDataElseLoad
    configuration.requiresDNSSECValidation = true
    configuration.allowsCellularAccess = false
    configuration.allowsExpensiveNetworkAccess = false
    configuration.allowsConstrainedNetworkAccess = false
    configuration.httpShouldUsePipelining = true
    configuration.enablesEarlyData = true
    configuration.multipathServiceType = .aggregate
    configuration.usesClassicLoadingMode = false
    configuration.shouldUseExtendedBackgroundIdleMode = true
    configuration.isDiscretionary = true
    configuration.sessionSendsLaunchEvents = true
    configuration.sharedContainerIdentifier = "group"
    let session = URLSession(configuration: configuration)
    for kept in [try copy(configuration), session.configuration] {
      #expect(kept !== configuration && kept.urlCache === cache)
      #expect(kept.requestCachePolicy == .returnCacheDataElseLoad && kept.requiresDNSSECValidation)
      #expect(!kept.allowsCellularAccess && !kept.allowsExpensiveNetworkAccess && !kept.allowsConstrainedNetworkAccess)
      #expect(kept.httpShouldUsePipelining && kept.enablesEarlyData && kept.multipathServiceType == .aggregate)
      #expect(!kept.usesClassicLoadingMode && kept.shouldUseExtendedBackgroundIdleMode)
      #expect(kept.isDiscretionary && kept.sessionSendsLaunchEvents && kept.sharedContainerIdentifier == "group")
      kept.allowsCellularAccess = true
    }
    #expect(!configuration.allowsCellularAccess && !session.configuration.allowsCellularAccess)
    #expect(URLSessionConfiguration.MultipathServiceType.interactive.rawValue == 2)
    session.invalidateAndCancel()
  }

  @Test func eachKindHasItsCache() {
    #expect(URLSessionConfiguration.default.urlCache === URLCache.shared)
    #expect(URLSessionConfiguration().urlCache === URLCache.shared)
    let (first, second) = (URLSessionConfiguration.ephemeral.urlCache, URLSessionConfiguration.ephemeral.urlCache)
    #expect(first != nil && first !== second && first !== URLCache.shared)
    #expect(first?.diskCapacity == 0 && first?.memoryCapacity == URLCache.shared.memoryCapacity)
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    #expect(configuration.urlCache == nil)
  }

  // MARK: Requests that say nothing themselves

  private func loaded(_ request: URLRequest, _ configure: (URLSessionConfiguration) -> Void) async throws -> URLRequest?
  {
    let fake = Fake(["x"])
    var request = request
    request.url = fake.url()
    let session = RecordedSession {
      $0.protocolClasses = [FakeProtocol.self]
      configure($0)
    }
    let task = session.session.dataTask(with: request)
    let record = await session.run(task)
    #expect(record.error == nil && task.originalRequest == request)
    #expect(task.currentRequest?.cachePolicy == fake.seen.value.requests.first?.cachePolicy)
    return fake.seen.value.requests.first
  }

  @Test func theCachePolicyIsThatOfTheSessionWhereTheRequestHasNone() async throws {
    var request = URLRequest(url: "fake:")
    #expect(try await loaded(request) { _ in }?.cachePolicy == .useProtocolCachePolicy)
    #expect(
      try await loaded(request) { $0.requestCachePolicy = .returnCacheDataElseLoad }?.cachePolicy
        == .returnCacheDataElseLoad)
    request.cachePolicy = .reloadIgnoringLocalCacheData
    #expect(
      try await loaded(request) { $0.requestCachePolicy = .returnCacheDataElseLoad }?.cachePolicy
        == .reloadIgnoringLocalCacheData)
  }

  @Test func aRedirectsRequestHasThePolicyToo() async throws {
    let end = Fake(["x"])
    let start = Fake { $0.redirect(to: end.url()) }
    let session = RecordedSession {
      $0.protocolClasses = [FakeProtocol.self]
      $0.requestCachePolicy = .returnCacheDataElseLoad
    }
    #expect(await session.load(start.url()).text == "x")
    #expect(end.seen.value.requests.map(\.cachePolicy) == [.returnCacheDataElseLoad])
  }

  // MARK: DNSSEC

  @Test(arguments: [("http", true), ("http", false), ("ftp", true), ("ftp", false)])
  func aNameThatCannotBeValidatedIsNotLoaded(_ scheme: String, _ isOfSession: Bool) async throws {
    let server = try ScriptedServer { connection in _ = try? connection.readLine() }
    var request = URLRequest(url: try #require(URL(string: "\(scheme)://localhost:\(server.port)/secret?a")))
    request.requiresDNSSECValidation = !isOfSession
    let session = RecordedSession { $0.requiresDNSSECValidation = isOfSession }
    for kind in LoadKind.allCases {
      let record = await session.load(request, as: kind)
      #expect(record.code == .dnsLookupFailed && record.response == nil)
      let message = (record.error as? URLError)?.localizedDescription ?? ""
      #expect(message.contains("DNSSEC") && message.contains("localhost"), "\(message)")
      #expect((record.error as? URLError)?.failingURL == request.url)
    }
    #expect(server.connectionCount == 0)
  }

  @Test func anAddressNeedsNoValidation() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let session = RecordedSession { $0.requiresDNSSECValidation = true }
    #expect(await session.load(server.url("/")).text == "x")
    #expect(URLError.unvalidatedName(of: required("http://[::1]/")) == nil)
    #expect(URLError.unvalidatedName(of: required("http://[fe80::1%25eth0]/")) == nil)
    #expect(URLError.unvalidatedName(of: required("http://127.1/")) != nil)
    #expect(URLError.unvalidatedName(of: required("http://a.example/")) != nil)
    #expect(URLError.unvalidatedName(of: required("file:///etc/hosts")) == nil)
    #expect(URLError.unvalidatedName(of: URLRequest(url: "http://a.example/")) == nil)
    // What looks nothing up loads.
    #expect(await session.load("data:,x").text == "x")
  }

  private func required(_ text: String) -> URLRequest {
    var request = URLRequest(url: URL(string: text) ?? "http://a/")
    request.requiresDNSSECValidation = true
    return request
  }

  @Test func aRedirectToANameIsNotFollowedWithoutValidation() async throws {
    let server = try ScriptedServer.http { _ in .redirect(to: "http://localhost:1/") }
    var request = URLRequest(url: server.url("/"))
    request.requiresDNSSECValidation = true
    #expect(await RecordedSession().load(request).code == .dnsLookupFailed)
  }

  // MARK: Reset

  @Test func resetEmptiesCacheAndCredentials() async throws {
    let session = RecordedSession()
    let configuration = session.session.configuration
    let cache = try #require(configuration.urlCache)
    let response = URLResponse(url: "http://a/", mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    cache.storeCachedResponse(CachedURLResponse(response: response, data: Data()), for: URLRequest(url: "http://a/"))
    let storage = try #require(configuration.urlCredentialStorage)
    for persistence in [URLCredential.Persistence.forSession, .permanent, .synchronizable] {
      let space = URLProtectionSpace(
        host: "\(persistence)", port: 1, protocol: "http", realm: nil, authenticationMethod: nil)
      storage.setDefaultCredential(URLCredential(user: "u", password: "p", persistence: persistence), for: space)
    }
    #expect(cache.currentMemoryUsage > 0 && storage.allCredentials.count == 3)
    await session.session.reset()
    #expect(cache.currentMemoryUsage == 0 && storage.allCredentials.isEmpty)
  }
}
