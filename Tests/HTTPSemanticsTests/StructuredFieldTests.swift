import Testing

@testable import URLLoadingHTTPSemantics

/// RFC 9651, as far as fields of uploads have it.
@Suite struct StructuredFieldTests {
  @Test(
    arguments: [
      ("0", 0), ("42", 42), ("  7 ", 7), ("999999999999999", 999_999_999_999_999), ("5;a=1", 5), ("5;a;b=\"x\"", 5),
    ] as [(String, Int64)])
  func counts(text: String, value: Int64) {
    #expect(StructuredField.count([text]) == value)
  }

  @Test(arguments: ["", "-1", "1.5", "1000000000000000", "x", "?1", "5 6", "5,6", "5;", "\"5\"", "0x5", "5;a=", "٣"])
  func thingsThatAreNoCount(text: String) {
    #expect(StructuredField.count([text]) == nil)
  }

  @Test func twoLinesAreNoItem() {
    #expect(StructuredField.count(["5", "5"]) == nil)
    #expect(StructuredField.count([]) == nil)
  }

  @Test func booleans() {
    #expect(StructuredField.boolean(["?1"]) == true)
    #expect(StructuredField.boolean(["?0;x"]) == false)
    for text in ["?2", "?", "1", "true", "?1?0", "?11"] { #expect(StructuredField.boolean([text]) == nil) }
  }

  @Test func dictionaries() {
    let lines = ["a=1, b, c=?0;x=1", "d=\"q\\\"\", e=:AQ==:, f=tok/en*, g=(1 2;x \"a\"), h=1.5, a=2, *k=-3"]
    #expect(
      StructuredField.dictionary(lines) == [
        "a": .integer(2), "b": .boolean(true), "c": .boolean(false), "d": .other, "e": .bytes("AQ=="), "f": .other,
        "g": .other,
        "h": .other, "*k": .integer(-3),
      ])
    #expect(StructuredField.dictionary([""]) == [:])
    for text in ["a=1,", "a=", "A=1", "a=1 b=2", "=1", "a=(1", "a=\"x", "a=\"x\u{1}\"", "a=:x", ",", "a=1;;b"] {
      #expect(StructuredField.dictionary([text]) == nil, "\(text)")
    }
  }
}
