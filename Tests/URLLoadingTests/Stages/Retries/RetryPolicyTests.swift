import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// The rule: what is tried again, and when.
@Suite struct RetryPolicyTests {
  typealias Policy = URLSessionConfiguration.RetryPolicy

  /// Without chance.
  private var policy: Policy {
    var policy = Policy()
    policy.isJittered = false
    return policy
  }

  private func delay(
    _ ending: RetriedEnding, _ method: String = "GET", hasKey: Bool = false, retry: Int = 1, at now: Date = Date(),
    by policy: Policy? = nil
  ) -> TimeInterval? {
    var generator = SeededGenerator(seed: 1)
    return (policy ?? self.policy).delay(
      after: ending, of: RetriedRequest(method: method, hasKey: hasKey), retry: retry, at: now, using: &generator)
  }

  private func status(_ code: Int, _ retryAfter: String? = nil) -> RetriedEnding {
    .status(code, retryAfter: retryAfter)
  }

  @Test func defaults() {
    let policy = Policy()
    #expect(policy.maximumRetries == 3 && policy.isJittered && policy.budget == Policy.Budget())
    #expect(policy.statusCodes == [408, 429, 502, 503, 504] && policy.refusalStatusCodes.isEmpty)
    #expect(URLSessionConfiguration.default.retryPolicy == nil)
  }

  @Test(arguments: [
    ("GET", true), ("HEAD", true), ("OPTIONS", true), ("PUT", true), ("DELETE", true), ("TRACE", true),
    ("PROPFIND", true), ("POST", false), ("PATCH", false), ("get", false), ("LINK", false),
  ])
  func idempotentMethods(method: String, isRepeated: Bool) {
    #expect((delay(status(503), method) != nil) == isRepeated)
    #expect((delay(.failure(URLError(.networkConnectionLost)), method) != nil) == isRepeated)
    #expect((delay(.mismatch, method) != nil) == isRepeated)
    #expect(delay(status(503), method, hasKey: true) == 0.5)
    // Nothing has reached the server.
    for code in [URLError.Code.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet] {
      #expect(delay(.failure(URLError(code)), method) == 0.5)
    }
  }

  @Test func methodsAndRefusalsOfThePolicy() {
    var policy = policy
    policy.repeatedMethods = ["POST"]
    #expect(delay(status(503), "POST", by: policy) == 0.5 && delay(status(503), "PATCH", by: policy) == nil)
    policy.repeatedMethods = []
    policy.refusalStatusCodes = [429]
    #expect(delay(status(429), "POST", by: policy) == 0.5 && delay(status(503), "POST", by: policy) == nil)
  }

  @Test func statuses() {
    for code in [408, 429, 502, 503, 504] { #expect(delay(status(code)) == 0.5) }
    for code in [200, 304, 400, 401, 404, 425, 500, 501, 505] { #expect(delay(status(code)) == nil) }
    var policy = policy
    policy.statusCodes = [200, 302, 500]
    #expect(delay(status(200), by: policy) == nil && delay(status(302), by: policy) == nil)
    #expect(delay(status(500), by: policy) == 0.5)
  }

  @Test func failures() {
    for code in [URLError.Code.serverCertificateUntrusted, .cancelled, .badServerResponse, .userAuthenticationRequired]
    {
      #expect(delay(.failure(URLError(code))) == nil)
    }
    #expect(delay(.failure(CancellationError())) == nil)
    #expect(delay(.failure(NSError(domain: NSURLErrorDomain, code: URLError.Code.timedOut.rawValue))) == 0.5)
    for (reply, isTemporary) in [(421, true), (450, true), (530, false), (550, false)] {
      let cause = NSError(domain: "libcurl", code: 19, userInfo: ["FTPReplyCode": reply])
      let error = URLError(.badServerResponse, userInfo: [NSUnderlyingErrorKey: cause])
      #expect((delay(.failure(error)) != nil) == isTemporary, "\(reply)")
      #expect(delay(.failure(error), "MKCOL") == nil)
    }
  }

  /// RFC 9110, section 10.2.3.
  @Test func retryAfter() throws {
    let now = try #require(try? Date("2026-11-21T08:00:00Z", strategy: .iso8601))
    #expect(delay(status(503, "7")) == 7 && delay(status(503, "0")) == 0)
    #expect(delay(status(503, " 7 , 9")) == 7)
    #expect(delay(status(503, "60")) == 60 && delay(status(503, "61")) == nil)
    #expect(delay(status(503, "99999999999999999")) == nil)
    #expect(delay(status(429, "Sat, 21 Nov 2026 08:00:09 GMT"), at: now) == 9)
    #expect(delay(status(429, "Saturday, 21-Nov-26 08:00:09 GMT"), at: now) == 9)
    #expect(delay(status(429, "Sat, 21 Nov 2026 07:00:00 GMT"), at: now) == 0)
    #expect(delay(status(429, "Sun, 22 Nov 2026 08:00:09 GMT"), at: now) == nil)
    // What is no time says nothing.
    for field in ["", "soon", "-1", "1.5", "99999999999999999999999", "Sat, 21 Nov"] {
      #expect(delay(status(503, field), at: now) == 0.5, "\(field)")
    }
  }

  @Test func aLimitOfRetries() {
    #expect((1...5).map { delay(status(503), retry: $0) } == [0.5, 1, 2, nil, nil])
    var none = policy
    none.maximumRetries = 0
    #expect(delay(status(503), by: none) == nil)
  }

  @Test func keys() {
    var request = URLRequest(url: URL(filePath: "/"))
    request.httpMethod = "POST"
    #expect(RetriedRequest(request) == RetriedRequest(method: "POST"))
    request.setValue("", forHTTPHeaderField: "Idempotency-Key")
    #expect(!RetriedRequest(request).hasKey)
    request.setValue("\"8e03978e\"", forHTTPHeaderField: "idempotency-key")
    #expect(RetriedRequest(request).hasKey)
  }

  @Test func jsonAndBack() throws {
    var policy = Policy()
    policy.maximumRetries = 7
    policy.statusCodes = [500, 418]
    policy.refusalStatusCodes = [429]
    policy.failureCodes = [.timedOut]
    policy.repeatedMethods = ["LINK"]
    policy.firstDelay = 1
    policy.maximumBackoff = 2
    policy.maximumDelay = 3
    policy.isJittered = false
    policy.budget?.savedRetries = 4
    for budget in [policy.budget, nil] {
      policy.budget = budget
      let data = try JSONEncoder().encode(policy)
      #expect(try JSONDecoder().decode(Policy.self, from: data) == policy)
    }
    #expect(try JSONDecoder().decode(Policy.self, from: Data("{}".utf8)) == Policy())
    policy.maximumDelay = .infinity
    policy.firstDelay = .nan
    policy.budget = Policy.Budget()
    policy.budget?.savedRetries = .infinity
    let decoded = try JSONDecoder().decode(Policy.self, from: try JSONEncoder().encode(policy))
    #expect(decoded.maximumDelay == .greatestFiniteMagnitude && decoded.firstDelay == 0)
  }
}
