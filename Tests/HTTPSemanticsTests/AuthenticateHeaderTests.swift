import Testing
import URLLoadingTestServers

@testable import URLLoadingHTTPSemantics

@Suite struct AuthenticateHeaderTests {
  /// Challenges as `scheme(token68)[name=value,…]`.
  private func read(_ values: String...) -> [String] {
    AuthenticateHeader(fieldValues: values).challenges.map { challenge in
      let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      return challenge.scheme + (challenge.token68.map { "(\($0))" } ?? "") + "[\(parameters)]"
    }
  }

  @Test func single() {
    #expect(read("Basic realm=\"a b\"") == ["basic[realm=a b]"])
    #expect(read("BASIC REALM=x") == ["basic[realm=x]"])
    #expect(read("Basic realm = \"x\" , charset=\"UTF-8\"") == ["basic[realm=x,charset=UTF-8]"])
    #expect(read("Negotiate") == ["negotiate[]"])
    #expect(read("Negotiate abc/+-._~==") == ["negotiate(abc/+-._~==)[]"])
    #expect(read("NTLM TlRMTVNTUAAC=") == ["ntlm(TlRMTVNTUAAC=)[]"])
    #expect(AuthenticateHeader(fieldValues: ["Basic realm=\"a b\""]).challenges.first?.realm == "a b")
  }

  @Test func several() {
    #expect(
      read("Basic realm=\"a\", Digest realm=\"b\", nonce=\"c,d\", qop=\"auth,auth-int\"") == [
        "basic[realm=a]", "digest[realm=b,nonce=c,d,qop=auth,auth-int]",
      ])
    #expect(read("Negotiate, NTLM, Basic realm=x") == ["negotiate[]", "ntlm[]", "basic[realm=x]"])
    #expect(read("Negotiate", "Basic realm=\"x\"") == ["negotiate[]", "basic[realm=x]"])
    #expect(read("Negotiate YWJj==, Basic realm=x") == ["negotiate(YWJj==)[]", "basic[realm=x]"])
    // The example of RFC 9110 11.6.1.
    #expect(
      read("Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"") == [
        "basic[realm=simple]", "newauth[realm=apps,type=1,title=Login to \"apps\"]",
      ])
  }

  @Test func quotedCommasAndSchemesDoNotSplit() {
    #expect(read("Basic realm=\"x, Digest realm=y\"") == ["basic[realm=x, Digest realm=y]"])
  }

  @Test func malformed() {
    #expect(read("") == [])
    #expect(read(",,, ,") == [])
    #expect(read(", Basic realm=x,") == ["basic[realm=x]"])
    #expect(read("=x, Basic realm=x") == ["basic[realm=x]"])
    #expect(read("Basic realm=\"open") == ["basic[realm=open]"])
    #expect(read("Basic realm=") == ["basic(realm=)[]"])
    #expect(read("\u{0}\u{1}é, Basic realm=x") == ["basic[realm=x]"])
  }

  @Test func alwaysEnds() {
    var random = SeededGenerator(seed: 6)
    let alphabet = Array("Bd=\", \\realm/é\u{0}")
    for _ in 0..<5000 {
      let text = String(
        (0..<Int.random(in: 0...25, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" })
      let count = AuthenticateHeader(fieldValues: [text]).challenges.count
      #expect(count <= text.utf8.count)
    }
  }
}
