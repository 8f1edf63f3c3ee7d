import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingHTTPSemantics

/// No password of any URL, however it is nested, spelled or misspelled, gets into what people see or files hold.
@Suite struct URLSecretsTests {
  @Test func textKeepsItsOtherWords() {
    let text = "From: me@host, see http://host:80 or ask a:b@c, not http://u:secret@host/?a=http%3A%2F%2Fu%3Asecret%40h"
    let shown = "From: me@host, see http://host:80 or ask a:b@c, not http://u:***@host/?a=http%3A%2F%2Fu%3A***%40h"
    #expect(URLSecrets.cleared(text, .hideInText) == shown)
  }

  static let stored: [(given: String, withoutPassword: String, withoutUser: String)] = [
    ("http://u:secret@host/a//x:y@z", "http://u@host/a//x:y@z", "http://host/a//x:y@z"),
    ("http://u@host/a", "http://u@host/a", "http://host/a"),
    ("file:///a:b@c", "file:///a:b@c", "file:///a:b@c"), ("mailto:a@b", "mailto:a@b", "mailto:a@b"),
    ("urn:a:b@c", "urn:a:b@c", "urn:a:b@c"), ("http://host:80/a@b", "http://host:80/a@b", "http://host:80/a@b"),
    ("archive:http://u:secret@h/x!/a:b@c", "archive:http://u@h/x!/a:b@c", "archive:http://h/x!/a:b@c"),
    ("zip:http%3A//u:secret@h/x%20y!/a", "zip:http%3A//u@h/x%20y!/a", "zip:http%3A//h/x%20y!/a"),
    (
      "archive://archive%3A%2F%2Fhttp%253A%252F%252Fu%253Asecret%2540h%252Fx.zip%2Fy.tar/a",
      "archive://archive%3A%2F%2Fhttp%253A%252F%252Fu%2540h%252Fx.zip%2Fy.tar/a",
      "archive://archive%3A%2F%2Fhttp%253A%252F%252Fh%252Fx.zip%2Fy.tar/a"
    ),
  ]

  @Test(arguments: stored)
  func whatIsStoredStaysAURL(_ given: String, _ withoutPassword: String, _ withoutUser: String) {
    #expect(URLSecrets.cleared(given, .removePassword) == withoutPassword)
    #expect(URLSecrets.cleared(given, .removeUser) == withoutUser)
  }

  /// A URL with a user and a password in it, of random characters, encoded as it must be; then nested at random.
  private func nested(_ random: inout SeededGenerator) throws -> (url: String, shown: String, bare: String) {
    let password = String((0..<12).map { _ in "SECRT:/?#[]@!$&'()*+,;=%ü ".randomElement(using: &random) ?? "S" })
    let unreserved = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    func encode(_ text: String) throws -> String {
      // What stands for the password is not encoded.
      let parts = text.components(separatedBy: "***")
      return try parts.map { try #require($0.addingPercentEncoding(withAllowedCharacters: unreserved)) }
        .joined(separator: "***")
    }
    let secret = try encode(password)
    var texts = ["http://me:\(secret)@host/x.zip", "http://me:***@host/x.zip", "http://host/x.zip"]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      switch Int.random(in: 0...3, using: &random) {
      case 0: texts = texts.map { "jar:\($0)!/a" }
      case 1: texts = texts.map { "archive:\($0)!/a/b" }
      case 2: texts = try texts.map { "archive://\(try encode($0))/a" }
      default: texts = try texts.map { "https://other/?of=\(try encode($0))&b" }
      }
    }
    return (texts[0], texts[1], texts[2])
  }

  @Test func randomNestingHidesNothingElse() throws {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<3000 {
      let (url, shown, bare) = try nested(&random)
      #expect(URLSecrets.cleared(url, .hidePassword) == shown, "\(url)")
      #expect(URLSecrets.cleared(url, .removeUser) == bare, "\(url)")
    }
  }

  @Test func noiseNeverTraps() {
    var random = SeededGenerator(seed: 23)
    let pieces = [
      "http", ":", "/", "//", "@", "%", "%25", "%40", "%3A", "%2F", "u", "!/", "?", "#", "é", "[", "]", "\\", " ",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      for isCut in [false, true] {
        _ = URLSecrets.cleared(text.joined(), .hidePassword, isCut: isCut)
        _ = URLSecrets.cleared(text.joined(), .removeUser, isCut: isCut)
      }
    }
  }
}
