import Testing

@testable import URLLoadingHTTPSemantics

/// RFC 6797, section 6.1: which fields count, and what they say.
@Suite struct StrictTransportSecurityTests {
  /// Nil for a field that is to be ignored.
  private static let fields: [(field: String, expected: StrictTransportSecurity?)] = [
    // Section 6.2, the examples.
    ("max-age=31536000", StrictTransportSecurity(maxAge: 31_536_000)),
    ("max-age=15768000 ; includeSubDomains", StrictTransportSecurity(maxAge: 15_768_000, includesSubdomains: true)),
    ("max-age=\"31536000\"", StrictTransportSecurity(maxAge: 31_536_000)),
    ("max-age=0", StrictTransportSecurity(maxAge: 0)),
    ("max-age=0; includeSubDomains", StrictTransportSecurity(maxAge: 0, includesSubdomains: true)),
    // The order, the case of names and white space mean nothing; directives may be empty.
    ("includeSubDomains; max-age=1", StrictTransportSecurity(maxAge: 1, includesSubdomains: true)),
    ("INCLUDESUBDOMAINS;MAX-AGE=1", StrictTransportSecurity(maxAge: 1, includesSubdomains: true)),
    (" \tmax-age = 1\t; ;; includesubdomains ; ", StrictTransportSecurity(maxAge: 1, includesSubdomains: true)),
    (";max-age=1", StrictTransportSecurity(maxAge: 1)),
    // Directives that nobody knows are passed over, with values of both kinds.
    ("max-age=1; preload", StrictTransportSecurity(maxAge: 1)),
    ("a=b; c=\"d;\\\" max-age=2\"; max-age=1; e", StrictTransportSecurity(maxAge: 1)),
    // A quoted pair is the character itself.
    ("max-age=\"\\1\\0\"", StrictTransportSecurity(maxAge: 10)),
    // Section 6.1.1: what has no room is long.
    ("max-age=99999999999999999999999", StrictTransportSecurity(maxAge: StrictTransportSecurity.longestAge)),
    ("max-age=9223372036854775807", StrictTransportSecurity(maxAge: StrictTransportSecurity.longestAge)),
    // It is required.
    ("", nil), ("includeSubDomains", nil), (";", nil), ("preload; includeSubDomains", nil),
    // Seconds are digits.
    ("max-age", nil), ("max-age=", nil), ("max-age=\"\"", nil), ("max-age=-1", nil), ("max-age=+1", nil),
    ("max-age=1.5", nil), ("max-age=1 0", nil), ("max-age=0x10", nil), ("max-age=\" 1\"", nil), ("max-age=1e3", nil),
    ("max-age=١", nil),
    // A directive stands there once, whatever its case and whether it is known.
    ("max-age=1; max-age=1", nil), ("max-age=1; Max-Age=2", nil),
    ("max-age=1; includeSubDomains; includeSubDomains", nil), ("max-age=1; a; a=b", nil),
    // Section 6.1.2: no value.
    ("max-age=1; includeSubDomains=1", nil), ("max-age=1; includeSubDomains=\"\"", nil),
    // Anything else that is wrong makes the whole field be ignored.
    ("max-age=1, max-age=2", nil), ("max-age=1 includeSubDomains", nil), ("max-age=1; =", nil), ("max-age=1; a=", nil),
    ("max-age=\"1", nil), ("max-age=1; a=\"b", nil), ("max-age=1; a=\"b\\", nil), ("max-age=1; a b", nil),
    ("max-age=1; \"a\"", nil), ("max-age=1; a=\"\u{1}\"", nil), ("max-age=1; ä", nil), ("max-age=\"1\"0", nil),
  ]

  @Test(arguments: fields.indices) func section6_1(_ index: Int) {
    let (field, expected) = Self.fields[index]
    #expect(StrictTransportSecurity(field) == expected, "\(field)")
  }
}
