import Foundation
import Testing

@testable import WebDAVProtocol

/// What `multistatus` documents say.
@Suite struct MultistatusReaderTests {
  private static func read(_ document: String, pieces: Int = .max, limits: XMLLimits = XMLLimits()) throws
    -> [MultistatusResource]
  {
    var reader = MultistatusReader(limits: limits)
    var resources: [MultistatusResource] = []
    var rest = Array(document.utf8)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(piece.count)
      resources += try reader.read(piece)
    }
    try reader.finish()
    return resources
  }

  private static func document(_ responses: String) -> String {
    #"<?xml version="1.0" encoding="utf-8"?><a:multistatus xmlns:a="DAV:" xmlns:b="other:">\#(responses)</a:multistatus>"#
  }

  private static func text(_ resource: MultistatusResource) -> String {
    let properties = resource.properties
    let kind = properties.isDirectory.map { $0 ? "directory" : "file" } ?? "-"
    return [
      String(decoding: resource.reference, as: UTF8.self), resource.status.map(String.init) ?? "-", kind,
      properties.size.map(String.init) ?? "-",
      properties.modificationDate.map { "\(Int($0.timeIntervalSince1970))" } ?? "-",
      properties.entityTag ?? "-", properties.mediaType ?? "-",
    ].joined(separator: " ")
  }

  private static let examples: [(responses: String, resources: [String])] = [
    ("", []),
    (
      """
      <a:response><a:href> http://host/d/%C3%BC%20x.txt
        </a:href><a:propstat><a:prop>
        <a:getcontentlength>7</a:getcontentlength><b:getcontentlength>9</b:getcontentlength><a:getetag>W/"1"</a:getetag>
        <a:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</a:getlastmodified><a:resourcetype/><a:getcontenttype>text/plain</a:getcontenttype>
      </a:prop><a:status>HTTP/1.1 200 OK</a:status></a:propstat></a:response>
      """, [#"http://host/d/%C3%BC%20x.txt - file 7 784111777 W/"1" text/plain"#]
    ),
    // What was not found is not there, in whichever order the parts are.
    (
      """
      <a:response><a:href>/a</a:href>
      <a:propstat><a:status>HTTP/1.1 404 Not Found</a:status><a:prop><a:getcontentlength>1</a:getcontentlength><a:resourcetype><a:collection/></a:resourcetype></a:prop></a:propstat>
      <a:propstat><a:prop><a:getcontentlength>2</a:getcontentlength></a:prop><a:status>HTTP/1.1 200 OK</a:status></a:propstat>
      <a:propstat><a:prop><a:getetag>"x"</a:getetag></a:prop><a:status>HTTP/2 403</a:status></a:propstat></a:response>
      """, [#"/a - - 2 - - -"#]
    ),
    (
      #"<a:response><a:href>/d/</a:href><a:propstat><a:prop><a:resourcetype><b:x/><a:collection/></a:resourcetype></a:prop></a:propstat></a:response>"#,
      ["/d/ - directory - - - -"]
    ),
    // Of another namespace it is no collection.
    (
      #"<a:response><a:href>/d</a:href><a:propstat><a:prop><a:resourcetype><b:collection/></a:resourcetype></a:prop></a:propstat></a:response>"#,
      ["/d - file - - - -"]
    ),
    // Several may share a status.
    (
      #"<a:response><a:href>/a</a:href><a:href>/b</a:href><a:status>HTTP/1.1 424 Failed Dependency</a:status></a:response>"#,
      ["/a 424 - - - - -", "/b 424 - - - - -"]
    ),
    // References inside of properties are none of the response's.
    (
      #"<a:response><a:href>/a</a:href><a:propstat><a:prop><a:owner><a:href>/me</a:href></a:owner></a:prop></a:propstat><a:error><a:href>/e</a:href></a:error></a:response>"#,
      ["/a - - - - - -"]
    ),
    (
      #"<a:response><a:href><![CDATA[/a&b]]>&#x2F;c</a:href><a:propstat><a:prop><a:getcontentlength>-1</a:getcontentlength><a:getlastmodified>soon</a:getlastmodified></a:prop></a:propstat></a:response>"#,
      ["/a&b/c - - - - - -"]
    ),
    (
      #"<a:response><a:href>/a</a:href><a:propstat><a:prop><a:getcontentlength>99999999999999999999</a:getcontentlength><a:getetag/></a:prop></a:propstat></a:response>"#,
      ["/a - - - - - -"]
    ),
  ]

  @Test(arguments: examples) func says(_ example: (responses: String, resources: [String])) throws {
    for pieces in [.max, 1, 13] {
      #expect(try Self.read(Self.document(example.responses), pieces: pieces).map(Self.text) == example.resources)
    }
  }

  /// A part of a document is no listing, wherever it is cut.
  @Test func isNeverShort() throws {
    let document = Self.document(Self.examples.map(\.responses).joined())
    for length in 0..<document.utf8.count {
      let part = String(decoding: document.utf8.prefix(length), as: UTF8.self)
      #expect(throws: XMLViolation.self) { try Self.read(part) }
    }
  }

  @Test(arguments: [
    "<multistatus/>", #"<a xmlns="DAV:"/>"#, #"<multistatus xmlns="dav:"/>"#, "<html><p>Not found</html>",
    #"<m xmlns="DAV:"><multistatus/></m>"#, #"<multistatus xmlns="DAV:"><response/></multistatus>"#,
    #"<multistatus xmlns="DAV:"><response><href>/a</href><status>200</status></response></multistatus>"#,
    #"<multistatus xmlns="DAV:"><response><href>/a</href><status>HTTP/1.1 999 x</status></response></multistatus>"#,
    #"<multistatus xmlns="DAV:"><response><href>/a</href><status>HTTP/1.1 -20 x</status></response></multistatus>"#,
  ]) func refusesOtherDocuments(_ document: String) {
    #expect(throws: XMLViolation.self) { try Self.read(document) }
  }

  @Test func keepsToItsLimits() {
    let name = Self.document("<a:response><a:href>/" + String(repeating: "x", count: 70_000))
    #expect(throws: XMLViolation.limit("a text's length in bytes", 64 << 10)) { try Self.read(name, pieces: 1000) }
    let names = Self.document("<a:response>" + String(repeating: "<a:href>/</a:href>", count: 1200))
    #expect(throws: XMLViolation.limit("the names of a response", 1000)) { try Self.read(names, pieces: 1000) }
  }
}
