import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct MixedReplaceParserTests {
  private typealias Event = MixedReplaceParser.Event

  /// The events, pieces of one part joined.
  private static func events(_ text: String, boundary: String = "b", piece: Int) throws -> [Event] {
    var parser = MixedReplaceParser(boundary: boundary)
    var found: [Event] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      found += try parser.take(Data(bytes[start..<min(start + piece, bytes.count)]))
    }
    found += parser.finish()
    return found.reduce(into: []) { joined, event in
      if case .bytes(let more) = event, case .bytes(let before)? = joined.last {
        joined[joined.count - 1] = .bytes(before + more)
      } else {
        joined.append(event)
      }
    }
  }

  private static func head(_ fields: (String, String)...) -> Event {
    .head(fields.map { MixedReplaceParser.Field(name: $0.0, value: $0.1) })
  }

  private static func bytes(_ text: String) -> Event { .bytes(Data(text.utf8)) }

  /// What the bodies are taken apart into, however they are cut.
  private static let cases: [(name: String, body: String, boundary: String, events: [Event])] = [
    (
      "two parts", "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nA: 1\r\nB:2 \r\n\r\ntwo\r\n--b--\r\n", "b",
      [
        head(("Content-Type", "text/plain")), bytes("one"), .end, head(("A", "1"), ("B", "2")), bytes("two"), .end,
      ]
    ),
    (
      "preamble and epilogue", "x --b\r\nhello\r\n\r\n--b\r\n\r\none\r\n--b--\r\nend\r\n--b\r\n\r\nnot\r\n", "b",
      [head(), bytes("one"), .end]
    ),
    (
      "line feeds alone", "--b\nA: 1\n\none\n\n--b\n\ntwo\n--b--", "b",
      [head(("A", "1")), bytes("one\n"), .end, head(), bytes("two"), .end]
    ),
    (
      "padding", "--b \t \r\n\r\none\r\n--b  \r\n\r\ntwo\r\n--b--", "b",
      [head(), bytes("one"), .end, head(), bytes("two"), .end]
    ),
    (
      "no end", "--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--", "b",
      [head(), bytes("one"), .end, head(), bytes("two\r\n--"), .end]
    ),
    ("an empty part", "--b\r\nA: 1\r\n\r\n--b\r\n\r\n\r\n--b--", "b", [head(("A", "1")), .end, head(), .end]),
    (
      "what looks like a delimiter", "--b\r\n\r\na--b\r\n --b\r\n--bc\r\n-\r\n--\r\r\n--b\r\n\r\nx", "b",
      [head(), bytes("a--b\r\n --b\r\n--bc\r\n-\r\n--\r"), .end, head(), bytes("x"), .end]
    ),
    (
      "dashes in the parameter, and none more in the body", "--b\r\n\r\none\r\n--b\r\n\r\n----b\r\ntwo\r\n--b--", "--b",
      [head(), bytes("one"), .end, head(), bytes("----b\r\ntwo"), .end]
    ),
    (
      "dashes that belong to the boundary", "----b\r\n\r\none\r\n--b\r\n----b\r\n\r\ntwo\r\n----b--", "--b",
      [head(), bytes("one\r\n--b"), .end, head(), bytes("two"), .end]
    ),
    (
      "no line break behind an announced length",
      "--b\r\nContent-Length: 3\r\n\r\none--b\r\nContent-length: 4\r\n\r\ntwo\n--b--", "b",
      [head(("Content-Length", "3")), bytes("one"), .end, head(("Content-length", "4")), bytes("two\n"), .end]
    ),
    (
      "a length that is wrong", "--b\r\nContent-Length: 2\r\n\r\none\r\n--b\r\nContent-Length: 99\r\n\r\ntwo\r\n--b--",
      "b",
      [head(("Content-Length", "2")), bytes("one"), .end, head(("Content-Length", "99")), bytes("two"), .end]
    ),
    (
      "a folded field, and lines that are none", "--b\r\n folded\r\nA: 1\r\n\t2\r\nnonsense\r\n: 3\r\n\r\nx\r\n--b--",
      "b",
      [head(("A", "1 2")), bytes("x"), .end]
    ),
    ("nothing", "", "b", []),
    ("an end at once", "--b--\r\n", "b", []),
  ]

  @Test(arguments: 0..<cases.count) func bodiesAreTakenApartHoweverTheyAreCut(_ index: Int) throws {
    let example = Self.cases[index]
    for piece in [1, 2, 3, 5, 7, 1000] {
      let events = try Self.events(example.body, boundary: example.boundary, piece: piece)
      #expect(events == example.events, "\(example.name), by \(piece)")
    }
  }

  @Test(arguments: [100, 1 << 20]) func aHeadIsBounded(_ piece: Int) throws {
    let long = "--b\r\nA: " + String(repeating: "x", count: MixedReplaceParser.largestHead + 10)
    #expect(throws: MixedReplaceParser.HeadTooLarge.self) { try Self.events(long, piece: piece) }
    let many = "--b\r\n" + String(repeating: "A: 1\r\n", count: MixedReplaceParser.largestHead / 4) + "\r\n"
    #expect(throws: MixedReplaceParser.HeadTooLarge.self) { try Self.events(many, piece: piece) }
  }

  @Test func nothingOfAPartIsKeptThatCanBePassedOn() throws {
    var parser = MixedReplaceParser(boundary: "b")
    #expect(try parser.take(Data("--b\r\n\r\n".utf8)) == [.head([])])
    #expect(try parser.take(Data("one".utf8)) == [Self.bytes("one")])
    #expect(try parser.take(Data("\r\n--".utf8)) == [])
    #expect(try parser.take(Data("x".utf8)) == [Self.bytes("\r\n--x")])
    // A delimiter with endless padding is not one.
    let spaces = String(repeating: " ", count: 1000)
    #expect(try parser.take(Data("\r\n--b\(spaces)".utf8)) == [Self.bytes("\r\n--b\(spaces)")])
  }

  @Test(arguments: [
    ("multipart/x-mixed-replace; boundary=b", "b"),
    ("Multipart/X-Mixed-Replace;charset=x; Boundary=\"--a b\"", "--a b"),
    ("multipart/x-mixed-replace", nil), ("multipart/x-mixed-replace; boundary=\"\"", nil),
    ("multipart/mixed; boundary=b", nil), ("text/plain; boundary=b", nil), ("", nil),
  ])
  func theBoundaryIsAParameter(_ value: String, _ boundary: String?) {
    #expect(MixedReplaceParser.boundary(inContentType: value) == boundary)
  }
}
