import Foundation
import Testing

@testable import WebDAVProtocol

/// XML as servers write it, and as none should.
@Suite struct XMLScannerTests {
  /// Reads a document in pieces of so many bytes, and writes what it has: names of the namespace, `-` for others, the texts.
  private static func read(
    _ document: some Sequence<UInt8>, pieces: Int = .max, charset: String? = nil, limits: XMLLimits = XMLLimits()
  ) throws -> String {
    var scanner = XMLScanner(namespace: "DAV:", charset: charset, limits: limits)
    var result: [UInt8] = []
    var rest = Array(document)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(piece.count)
      for event in try scanner.read(piece) {
        switch event {
        case .start(let name): result += "<\(name ?? "-")>".utf8
        case .text(let bytes): result += bytes
        case .end(let name): result += "</\(name ?? "-")>".utf8
        }
      }
    }
    try scanner.finish()
    return String(decoding: result, as: UTF8.self)
  }

  private static let readable: [(document: String, content: String)] = [
    (#"<a xmlns="DAV:"/>"#, "<a></a>"),
    (
      #"<?xml version="1.0" encoding="utf-8"?><!-- c -- > <x> --><D:a xmlns:D='DAV:'><D:b>t</D:b ></D:a> <!-- e --> "#,
      "<a><b>t</b></a>"
    ),
    // Prefixes are any, may be bound anew, and end with their element.
    (
      #"<x:a xmlns:x="DAV:"><x:b xmlns:x="y"><x:c/></x:b><x:d xmlns="DAV:"><e/></x:d><e/></x:a>"#,
      "<a><-><-></-></-><d><e></e></d><-></-></a>"
    ),
    (#"<a xmlns="DAV:"><b xmlns=""/><c/></a>"#, "<a><-></-><c></c></a>"),
    // Their value may be written with references.
    (#"<a xmlns="D&#65;V&#x3a;"/>"#, "<a></a>"),
    (#"<a xmlns="DAV:">1 &lt;&amp;&gt; &#228;&#x1F600;&apos;&quot;</a>"#, "<a>1 <&> ä😀'\"</a>"),
    (#"<a xmlns="DAV:"><![CDATA[<b>&amp;]] ]]></a>"#, "<a><b>&amp;]] </a>"),
    (#"<a xmlns="DAV:" b = "x>y" xml:lang='de'>ü<?do this?>x</a>"#, "<a>üx</a>"),
    ("<a\n xmlns=\"DAV:\"\r\n\t>\n</a\n>\n", "<a>\n</a>"),
  ]

  @Test(arguments: readable) func readsInAnyPieces(_ example: (document: String, content: String)) throws {
    for pieces in [.max, 1, 2, 3, 7] {
      #expect(try Self.read(example.document.utf8, pieces: pieces) == example.content, "in pieces of \(pieces)")
    }
  }

  @Test func readsEncodings() throws {
    let text = #"<?xml version="1.0"?><a xmlns="DAV:">ä😀</a>"#
    let wide = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let narrow = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for pieces in [.max, 1, 3] {
      #expect(try Self.read([0xEF, 0xBB, 0xBF] + text.utf8, pieces: pieces) == "<a>ä😀</a>")
      #expect(try Self.read([0xFE, 0xFF] + wide, pieces: pieces) == "<a>ä😀</a>")
      #expect(try Self.read([0xFF, 0xFE] + narrow, pieces: pieces) == "<a>ä😀</a>")
      #expect(try Self.read(wide, pieces: pieces) == "<a>ä😀</a>")
      #expect(try Self.read(narrow, pieces: pieces) == "<a>ä😀</a>")
      let latin =
        Array(#"<?xml version="1.0" encoding='ISO-8859-1'?><a xmlns="DAV:">"#.utf8) + [0xE4] + Array("</a>".utf8)
      #expect(try Self.read(latin, pieces: pieces) == "<a>ä</a>")
      #expect(try Self.read(latin.dropFirst(43), pieces: pieces, charset: "iso-8859-1") == "<a>ä</a>")
    }
    #expect(throws: XMLViolation.encoding("shift_jis")) { try Self.read(text.utf8, charset: "shift_jis") }
    #expect(throws: XMLViolation.encoding("EBCDIC")) {
      try Self.read(#"<?xml version="1.0" encoding="EBCDIC"?><a/>"#.utf8)
    }
  }

  private static let broken = [
    "", " ", "<", "<a", "<a>", "<a><b></a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "no XML", "<a b></a>",
    "<a b=c/>",
    "<a b='1' b='2'/>", "<a b='1'c='2'/>", "<a b='<'/>", "<p:a/>", "<a p:b='1'/>", "<:a/>", "<a:/>",
    "<a:b:c xmlns:a='x'/>", "<1/>", "< a/>",
    "<a xmlns:p=''/>", "<a>&b;</a>", "<a>&</a>", "<a>& b</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>",
    "<a>&#-1;</a>",
    "<a>&#99999999999999999999;</a>", "<a>\u{1}</a>", "<a>\0</a>", "<a><!--</a>", "<a><![CDATA[</a>", "<a><?x</a>",
    "<a>]<![CDAT</a>", "<![CDATA[x]]><a/>",
    "&amp;<a/>", "<a/>&amp;", "<a/><!", "<a/></a>",
  ]

  @Test(arguments: broken) func refusesWhatIsNoXML(_ document: String) {
    for pieces in [.max, 1] {
      #expect(throws: XMLViolation.self) { try Self.read(document.utf8, pieces: pieces) }
    }
  }

  /// Entities that grow, files and hosts that are read: without document types there is none of it.
  @Test func refusesDocumentTypes() {
    let bomb = """
      <?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>
      """
    let file = #"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#
    for document in [
      bomb, file, "<!DOCTYPE a SYSTEM 'http://127.0.0.1/x.dtd'><a/>", "<!ELEMENT a ANY><a/>", "<a><!DOCTYPE a></a>",
    ] {
      #expect(throws: XMLViolation.documentType) { try Self.read(document.utf8) }
    }
  }

  @Test func keepsToItsLimits() throws {
    let deep = String(repeating: "<a>", count: 65)
    #expect(throws: XMLViolation.limit("the depth of elements", 64)) { try Self.read(deep.utf8) }
    let many = "<a " + (0...64).map { "a\($0)='' " }.joined() + "/>"
    #expect(throws: XMLViolation.limit("the number of attributes", 64)) { try Self.read(many.utf8) }
    let long = "<a b='" + String(repeating: "x", count: 20_000)
    for pieces in [.max, 1000] {
      #expect(throws: XMLViolation.limit("a tag's length in bytes", 16 << 10)) {
        try Self.read((long + "'/>").utf8, pieces: pieces)
      }
      #expect(throws: XMLViolation.limit("a tag's length in bytes", 16 << 10)) {
        try Self.read(long.utf8, pieces: pieces)
      }
    }
    let declaration = "<?xml version='1.0' " + String(repeating: " ", count: 600)
    #expect(throws: XMLViolation.limit("a declaration's length in bytes", 512)) { try Self.read(declaration.utf8) }
    // Comments are passed over, however long, and texts in pieces.
    let comment = "<a><!--" + String(repeating: "-x", count: 50_000) + "--></a>"
    #expect(try Self.read(comment.utf8, pieces: 999) == "<-></->")
    #expect(
      try Self.read(("<a>" + String(repeating: "y", count: 100_000) + "</a>").utf8, pieces: 999).utf8.count == 100_007)
  }

  /// Whatever comes, it ends with an error or with a document.
  @Test func survivesMutations() {
    var generator = SystemRandomNumberGenerator()
    let seeds = Self.readable.map { Array($0.document.utf8) } + [Array("<!DOCTYPE a><a>&b;<![CDATA[ ]]></a>".utf8)]
    for _ in 0..<20_000 {
      guard var document = seeds.randomElement(using: &generator) else { continue }
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<document.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: document[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: document.remove(at: place)
        case 2: document.insert(Array("<>&;/!'\"[]-? :".utf8).randomElement(using: &generator) ?? 0, at: place)
        default: document += document[place...]
        }
        if document.isEmpty { break }
      }
      _ = try? Self.read(document, pieces: Int.random(in: 1...40, using: &generator))
    }
  }
}
