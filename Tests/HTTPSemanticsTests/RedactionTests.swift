import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct RedactionTests {
  @Test(arguments: [
    ("http://me:secret@host/a?b=c", "http://me:***@host/a?b=c"),
    ("archive://http%3A%2F%2Fme%3Asecret%40host%2Fx.zip/a", "archive://http%3A%2F%2Fme%3A***%40host%2Fx.zip/a"),
    ("http://host/a", "http://host/a"),
  ])
  func urlsLoseTheirPasswords(_ url: String, _ expected: String) throws {
    #expect(Redaction.url(try #require(URL(string: url))) == expected)
  }

  @Test func anErrorThatQuotesItsURLLosesTheQuery() throws {
    let url = try #require(URL(string: "http://u:secret@host/a?key=secret"))
    func error(_ message: String) -> URLError {
      URLError(.badURL, userInfo: [NSLocalizedDescriptionKey: message, NSURLErrorFailingURLErrorKey: url])
    }
    #expect(Redaction.error(error("Bad: \(url.absoluteString), really.")) == "Bad: http://u:***@host/a?…, really.")
    #expect(Redaction.error(error("Bad?")) == "Bad?")
  }

  @Test func longURLsStayWhole() throws {
    let text = "http://me:secret@host/" + String(repeating: "x", count: 5000)
    #expect(Redaction.url(try #require(URL(string: text))).count == text.count - 3)
  }

  @Test(arguments: [
    ("Authorization", "Bearer abc", "Bearer ***"), ("Cookie", "a=b", "***"), ("Set-Cookie", "a=b; Path=/", "***"),
    ("proxy-authorization", "Basic abc", "Basic ***"), ("X-Api-Key", "abc", "***"), ("Accept", "*/*", "*/*"),
    ("WWW-Authenticate", "Digest realm=\"x\"", "Digest ***"), ("WWW-Authenticate", "Negotiate", "***"),
    ("Authorization", "c2VjcmV0", "***"), ("Authorization", "my secret", "***"), ("Authorization", " secret", "***"),
    ("Authorization", "", "***"), ("Authorization", "Bearer", "***"), ("Authorization", "bearer a b", "bearer ***"),
    ("Proxy-Authorization", "SCRAM-SHA-256 data=x", "SCRAM-SHA-256 ***"), ("Authorization", "Token abc", "***"),
    ("Location", "http://me:x@host/", "http://me:***@host/"),
  ])
  func fieldsLoseTheirSecrets(_ name: String, _ value: String, _ expected: String) {
    #expect(Redaction.value(value, of: name) == expected)
  }
}
