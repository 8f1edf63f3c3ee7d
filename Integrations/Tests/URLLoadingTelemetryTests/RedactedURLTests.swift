import Foundation
import Testing
import URLLoadingTelemetry

/// What spans show of URLs.
@Suite struct RedactedURLTests {
  @Test(arguments: [
    ("http://host/a", "http://host/a"),
    ("https://me:hunter2@host:8443/a?b=c#d", "https://REDACTED:REDACTED@host:8443/a?b=REDACTED"),
    ("https://me@host/", "https://REDACTED:REDACTED@host/"),
    ("http://[::1]:80/a%20b?x=1&y=&z", "http://[::1]:80/a%20b?x=REDACTED&y=&REDACTED"),
    ("http://host/http://me:hunter2@other/", "http://host/http://me:***@other/"),
    ("ws://host/chat?token=abc", "ws://host/chat?token=REDACTED"),
    ("data:text/plain,secret", "data:REDACTED"),
    ("ftp://me:hunter2@host/a", "ftp://me:***@host/a"),
  ])
  func passwordsAndValuesAreHidden(url: String, shown: String) throws {
    #expect(RedactedURL.text(of: try #require(URL(string: url))) == shown)
  }

  @Test(arguments: [
    ("http://host/a?color=blue&sig=abc", "http://host/a?color=blue&sig=REDACTED"),
    (
      "http://host/?X-Goog-Signature=a&AWSAccessKeyId=b&Signature=c",
      "http://host/?X-Goog-Signature=REDACTED&AWSAccessKeyId=REDACTED&Signature=REDACTED"
    ),
    ("http://host/?%74oken=a&next=http://me:pw@h/", "http://host/?%74oken=REDACTED&next=REDACTED"),
    ("http://host/?next=http%3A%2F%2Fme%3Apw%40h", "http://host/?next=REDACTED"),
    ("http://host/?flag&n=1", "http://host/?REDACTED&n=1"),
  ])
  func valuesMayBeShown(url: String, shown: String) throws {
    #expect(RedactedURL.text(of: try #require(URL(string: url)), showsQueryValues: true) == shown)
  }
}
