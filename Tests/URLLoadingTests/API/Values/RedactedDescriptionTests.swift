import Foundation
import Testing

@testable import URLLoading

/// No password of any URL, however it is nested, spelled or misspelled, gets into what people see.
@Suite struct RedactedDescriptionTests {
  static let shown: [(given: String, shown: String)] = [
    ("http://u:secret@host/a", "http://u:***@host/a"),
    ("http://u@host/a:b@c", "http://u@host/a:b@c"),
    ("http://:secret@host", "http://:***@host"),
    ("http://u:@host", "http://u:***@host"),
    ("http://u:sec@ret@host/a", "http://u:***@host/a"),
    ("http://u:se%40cr%2Fet@host/a", "http://u:***@host/a"),
    ("http://u:secret@[::1]:80/a", "http://u:***@[::1]:80/a"),
    ("http://[::1]:80/a@b", "http://[::1]:80/a@b"),
    ("http://host:80/a@b", "http://host:80/a@b"),
    ("http://host/?u=http://u:secret@h/", "http://host/?u=http://u:***@h/"),
    ("http://host/?u=http%3A%2F%2Fu%3Asecret%40h%2F", "http://host/?u=http%3A%2F%2Fu%3A***%40h%2F"),
    ("archive:http://u:secret@host/x.zip!/a", "archive:http://u:***@host/x.zip!/a"),
    ("jar:http://u:secret@host/x.zip!/a", "jar:http://u:***@host/x.zip!/a"),
    ("zip:http%3A//u:secret@host/x%20y.zip!/a", "zip:http%3A//u:***@host/x%20y.zip!/a"),
    (
      "archive:archive:http://u:secret@host/x.zip!/y.tar!/http://v:secret@b",
      "archive:archive:http://u:***@host/x.zip!/y.tar!/http://v:***@b"
    ),
    ("archive://http%3A%2F%2Fu%3Asecret%40host%2Fx.zip/a", "archive://http%3A%2F%2Fu%3A***%40host%2Fx.zip/a"),
    ("archive://http%3a%2f%2fu%3asecret%40host%2fx.zip/a", "archive://http%3a%2f%2fu%3a***%40host%2fx.zip/a"),
    ("archive://http%3A%2F%2Fu%3Ase%2540cr%252Fet%40h%2Fx/a", "archive://http%3A%2F%2Fu%3A***%40h%2Fx/a"),
    (
      "archive://archive%3A%2F%2Fhttp%253A%252F%252Fu%253Asecret%2540host%252Fx.zip%2Fy.tar/a",
      "archive://archive%3A%2F%2Fhttp%253A%252F%252Fu%253A***%2540host%252Fx.zip%2Fy.tar/a"
    ),
    // What people type.
    ("u:secret@host/a", "u:***@host/a"), ("http:/u:secret@host/a", "http:***@host/a"),
    ("http:u:secret@host", "http:***@host"), ("http:\\\\u:secret@host\\a", "http:***@host\\a"),
    ("http:///u:secret@host/a", "http:///u:***@host/a"), ("http://u:sec/ret@host/a", "http://u:***@host/a"),
    ("http://u:sec?ret@host/a", "http://u:***@host/a"), ("http://u:sec#ret@host/a", "http://u:***@host/a"),
    ("http://u:sec ret@host:x/a b", "http://u:***@host:x/a b"), ("//u:secret@host", "//u:***@host"),
    ("archive:u:secret@host/x.zip!/a", "archive:***@host/x.zip!/a"),
    ("http://u:secret@", "http://u:***@"), ("http://u:secr%4", "http://u:secr%4"), ("%", "%"), ("@", "@"), ("", ""),
    ("http://ü:gehéim secret@höst/%zz", "http://ü:***@höst/%zz"),
    ("data:,a:b@c", "data:,a:b@c"),
  ]

  @Test(arguments: shown)
  func passwordsAreNotShown(_ given: String, _ shown: String) {
    #expect(URL.shownDescription(of: given) == shown)
    if let url = URL(string: given), url.absoluteString == given { #expect(url.shownDescription == shown) }
    #expect(!URL.redactedDescription(of: given).contains("secret"))
  }

  @Test func descriptionsOfMessagesHidePasswords() throws {
    let url = try #require(URL(string: "archive://http%3A%2F%2Fu%3Asecret%40h%2Fx.zip/a"))
    let request = URLRequest(url: url)
    #expect(request.description == "archive://http%3A%2F%2Fu%3A***%40h%2Fx.zip/a")
    #expect(!"\(request as NSURLRequest)".contains("secret"))
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    #expect(response.description.contains("u%3A***%40h") && !response.description.contains("secret"))
    let http = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    #expect(http.description.contains("u%3A***%40h") && !http.description.contains("secret"))
  }

  @Test func messagesEndWithAURLThatCanBeCopied() throws {
    let url = try #require(URL(string: "http://u:secret@host/x."))
    let error = URLError(.badURL, message: "No. URL: \(url.redactedDescription).", url: url)
    #expect(error.localizedDescription == "No. URL: http://u:***@host/x.")
    let other = URLError(.badURL, message: "\(url.redactedDescription) is a directory.", url: url)
    #expect(other.localizedDescription == "http://u:***@host/x. is a directory.")
    #expect(error.failingURL == url)
  }

  @Test func whatIsTooLongIsCutAndKeepsItsSecretsAllTheSame() throws {
    let long = String(repeating: "a", count: 500)
    #expect(URL.redactedDescription(of: "http://u:\(long)@host/\(long)").hasPrefix("http://u:***@host/aaa"))
    let endless = String(repeating: "secret", count: 100_000)
    #expect(!URL.redactedDescription(of: "http://u:\(endless)@host/").contains("secret"))
    #expect(!URL.redactedDescription(of: "http://u:\(endless)").contains("secret"))
    #expect(!URL.redactedDescription(of: "archive://http%3A%2F%2Fu%3A\(endless)%40host/a").contains("secret"))
    let digits = String(repeating: "1", count: 100_000)
    #expect(!URL.redactedDescription(of: "http://u:\(digits)@host/").contains("1"))
    let data = URL.redactedDescription(of: "data:," + long)
    #expect(data.hasSuffix("…") && data.count == 201)
    let encoded = URL.redactedDescription(of: "http://u:x@h/%" + String(repeating: "25", count: 1_000_000) + "41")
    #expect(encoded.hasPrefix("http://u:***@h/"))
  }
}
