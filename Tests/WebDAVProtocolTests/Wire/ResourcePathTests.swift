import Foundation
import Testing
import URLLoading

@testable import WebDAVProtocol

/// Which resources are in a directory, and by which names.
@Suite struct ResourcePathTests {
  private static func base(_ path: String) throws -> ResourcePath {
    let url = try #require(URL(string: "dav://host\(path)"))
    return try #require(ResourcePath(of: url))
  }

  private static let below: [(reference: String, names: [String]?)] = [
    ("/d/x", ["x"]), ("/d/x/", ["x"]), ("/d/x/y", ["x", "y"]), ("/d/", []), ("/d", []), ("http://other:81/d/x", ["x"]),
    ("//other/d/x", ["x"]), ("https://host", nil), ("/", nil), ("/e/x", nil), ("/dx", nil), ("x", ["x"]),
    ("./x", ["x"]),
    ("../d/x", ["x"]), ("../x", nil), ("/d/../x", nil), ("/d/%2e%2e/x", nil), ("/d/%2E/x", ["x"]), ("/../x", nil),
    ("/%64/x?y#z", ["x"]), ("/d/a%20b", ["a b"]), ("/d/a b", ["a b"]), ("/d/100%25", ["100%"]),
    ("/d/100%2525", ["100%25"]),
    ("/d/100%", ["100%"]), ("/d//x", ["x"]), ("/d/a:b", ["a:b"]), ("/d/ü", ["ü"]), ("/d/%C3%BC", ["ü"]),
    ("/d/a%2Fb", ["a/b"]),
  ]

  @Test(arguments: below) func isBelow(_ example: (reference: String, names: [String]?)) throws {
    let base = try Self.base("/d/")
    let names = ResourcePath(reference: example.reference.utf8, in: base)?.names(below: base)
    #expect(names.map { $0.map { String(decoding: $0, as: UTF8.self) } } == example.names)
  }

  @Test func aDirectoryIsTheSameHoweverItIsWritten() throws {
    let path = try Self.base("/a%20b/c%2525")
    for reference in ["/a%20b/c%2525", "/a b/c%2525/", "http://h/a%20b/%63%2525"] {
      #expect(ResourcePath(reference: reference.utf8, in: path)?.names(below: path)?.isEmpty == true)
    }
    #expect(ResourcePath(reference: "/a%20b/c%25".utf8, in: path)?.names(below: path) == nil)
    let server = try #require(URL(string: "dav://me:x@h:81/q?r#s"))
    #expect(path.url(on: server)?.absoluteString == "dav://me:x@h:81/a%20b/c%2525")
  }

  private static let entries: [(reference: String, properties: String, entry: String?)] = [
    ("/d/x", "<resourcetype/><getcontentlength>5</getcontentlength>", "file x 5 dav://h/d/x"),
    (
      "/d/x/", "<resourcetype><collection/></resourcetype><getcontentlength>5</getcontentlength>",
      "directory x - dav://h/d/x/"
    ),
    ("/d/x", "", "unknown x - dav://h/d/x"), ("/d/x/", "", "directory x - dav://h/d/x/"),
    ("/d/100%2525", "<resourcetype/>", "file 100%25 - dav://h/d/100%2525"), ("/d/a%2Fb", "<resourcetype/>", nil),
    ("/d/a%00b", "<resourcetype/>", nil), ("/d/x/y", "<resourcetype/>", nil), ("/e", "<resourcetype/>", nil),
    ("/d/%FF", "<resourcetype/>", "file \u{FFFD} - dav://h/d/%FF"),
  ]

  private static func entry(_ text: String, isDeep: Bool = false, limit: Int = 10) throws -> [String] {
    let failures = WebDAVFailures(url: try #require(URL(string: "dav://h/d")), action: .list)
    var reader = MultistatusReader()
    var contents = DirectoryContents(of: failures.url, at: try base("/d"), isDeep: isDeep, limit: limit)
    let document = #"<multistatus xmlns="DAV:">\#(text)</multistatus>"#
    let entries = try contents.entries(of: try reader.read(document.utf8), failures)
    try reader.finish()
    try contents.finish(failures)
    return entries.map { "\($0.kind) \($0.name) \($0.size.map { "\($0)" } ?? "-") \($0.url)" }
  }

  private static func response(_ reference: String, _ properties: String) -> String {
    "<response><href>\(reference)</href><propstat><prop>\(properties)</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
  }

  private static let own = response("/d/", "<resourcetype><collection/></resourcetype>")

  @Test(arguments: entries) func makesEntries(_ example: (reference: String, properties: String, entry: String?)) throws
  {
    let text = Self.response(example.reference, example.properties)
    #expect(try Self.entry(text + Self.own) == [example.entry].compactMap { $0 })
  }

  @Test func listsAllThatIsBelow() throws {
    let text =
      Self.own + Self.response("/d/a%20b/", "<resourcetype><collection/></resourcetype>")
      + Self.response("/d/a%20b/c/e", "<resourcetype/>")
    #expect(try Self.entry(text, isDeep: true) == ["directory a b - dav://h/d/a%20b/", "file e - dav://h/d/a%20b/c/e"])
  }

  @Test func resourcesHaveAStatusOfTheirOwn() throws {
    let text =
      Self.own + "<response><href>/d/x</href><status>HTTP/1.1 403 Forbidden</status></response>"
      + "<response><href>/d/y</href><status>HTTP/1.1 404 Not Found</status></response>"
    #expect(try Self.entry(text) == ["unknown x - dav://h/d/x"])
  }

  @Test func whatIsNoListingFails() throws {
    func code(_ text: String, limit: Int = 10) -> URLError.Code? {
      do {
        _ = try Self.entry(text, limit: limit)
        return nil
      } catch {
        return (error as? URLError)?.code
      }
    }
    #expect(code("") == .cannotParseResponse)
    #expect(code(Self.response("/d/x", "<resourcetype/>")) == .cannotParseResponse)
    #expect(code(Self.response("/elsewhere/", "<resourcetype><collection/></resourcetype>")) == .cannotParseResponse)
    #expect(code(Self.response("/d", "<resourcetype/>")) == .resourceUnavailable)
    #expect(code("<response><href>/d</href><status>HTTP/1.1 401 x</status></response>") == .userAuthenticationRequired)
    let many = Self.own + String(repeating: Self.response("/d/x", "<resourcetype/>"), count: 3)
    #expect(code(many, limit: 3) == nil)
    #expect(code(many, limit: 2) == .dataLengthExceedsMaximum)
  }

  @Test func theFirstFailureCounts() throws {
    var partial = PartialFailure()
    for (reference, status) in [("/a", 204), ("/b", 424), ("/c", 423), ("/d", 403)] {
      partial.take(MultistatusResource(reference: Array(reference.utf8), status: status))
    }
    #expect(partial.first?.status == 423 && partial.first?.reference == Array("/c".utf8))
  }
}
