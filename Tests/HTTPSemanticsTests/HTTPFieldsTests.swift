import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct HTTPFieldsTests {
  @Test func namesCompareWithoutCase() {
    var fields = HTTPFields([("Content-Type", "text/html")])
    #expect(fields["content-type"] == "text/html")
    #expect(fields["CONTENT-TYPE"] == "text/html")
    #expect(fields["Content-Typ"] == nil)
    fields["CONTENT-type"] = "text/plain"
    #expect(fields.fields.map(\.name) == ["Content-Type"])
    #expect(fields["Content-Type"] == "text/plain")
  }

  @Test func onlyLettersHaveCase() {
    let fields = HTTPFields([("a[b", "1"), ("@x", "2")])
    #expect(fields["a{b"] == nil)
    #expect(fields["`x"] == nil)
  }

  @Test func repeatedFieldsAreJoinedInOrder() {
    let fields = HTTPFields([("Via", "1"), ("X", "x"), ("via", "2"), ("VIA", "3")])
    #expect(fields["Via"] == "1, 2, 3")
    #expect(fields.values(of: "via") == ["1", "2", "3"])
    #expect(fields.dictionary == ["Via": "1, 2, 3", "X": "x"])
  }

  @Test func settingReplacesAllOfThatName() {
    var fields = HTTPFields([("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")])
    fields["a"] = "5"
    #expect(fields.fields.map { "\($0.name)=\($0.value)" } == ["A=5", "B=2", "C=4"])
    fields["A"] = nil
    #expect(fields.fields.map(\.name) == ["B", "C"])
  }

  @Test func equalityIgnoresOrderAndCase() {
    #expect(HTTPFields([("A", "1"), ("B", "2")]) == HTTPFields([("b", "2"), ("a", "1")]))
    #expect(HTTPFields([("A", "1")]) != HTTPFields([("A", "2")]))
    #expect(HTTPFields([("A", "1"), ("A", "2")]) != HTTPFields([("A", "2"), ("A", "1")]))
  }

  @Test func theSameValueSeveralTimesIsOne() {
    let fields = HTTPFields([("A", "1"), ("a", " 1 "), ("B", "1"), ("b", "2"), ("B", "1"), ("C", "")])
    #expect(fields.single("A") == .value("1"))
    #expect(fields.single("B") == .conflict(["1", "2", "1"]))
    #expect(fields.single("C") == .value("") && fields.single("D") == .missing)
    #expect(fields.single("B").agreed == nil && fields.single("B").first == "1")
  }
}
