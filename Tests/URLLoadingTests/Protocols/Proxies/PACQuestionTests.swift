import Testing

@testable import URLLoading

@Suite struct PACQuestionTests {
  @Test(arguments: [
    ("http://user:secret@A.example/p?q#f", "http://A.example/p?q", "A.example"),
    ("http://a.example", "http://a.example/", "a.example"),
    ("http://a.example:8080/x", "http://a.example:8080/x", "a.example"),
    ("https://u:p@a.example/secret?token#f", "https://a.example/", "a.example"),
    ("ftp://a.example/x", "ftp://a.example/", "a.example"),
    ("http://[::1]:81/x", "http://[::1]:81/x", "::1"),
  ])
  func whatAScriptIsTold(url: String, told: String, host: String) throws {
    let address = try #require(URL(string: url))
    let question = try #require(PACQuestion(address))
    #expect(question.url == told && question.host.lowercased() == host.lowercased())
  }

  /// libpacparser makes a program of it, in quotes.
  @Test func quotesDoNotEndAText() throws {
    let question = try #require(PACQuestion("http://a.example/it's?x='+evil()+'\\"))
    #expect(!question.url.contains("'") && !question.url.contains("\\") && !question.url.contains(" "))
  }

  @Test func withoutAHost() {
    #expect(PACQuestion("file:///x") == nil)
    #expect(PACQuestion("data:,x") == nil)
  }
}
