import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct ResumeDataTests {
  private func sample() throws -> ResumeData {
    ResumeData(
      url: try #require(URL(string: "https://example.org/b?x=1")),
      originalURL: try #require(URL(string: "http://example.org/a")), method: "GET",
      headers: [
        .init(name: "Accept", value: "*/*"), .init(name: "X-Two", value: "1"), .init(name: "X-Two", value: "2"),
      ],
      bytesReceived: 5_000_000_000, expectedTotalLength: 6_000_000_000, entityTag: "\"tag\"",
      lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", localPath: "/tmp/partial ü.tmp")
  }

  private func list(_ data: Data) throws -> [String: Any] {
    try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
  }

  private func encode(_ list: [String: Any]) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  private func own(_ change: (inout [String: Any]) -> Void) throws -> Data {
    var list = try list(sample().serialized())
    var own = try #require(list["URLLoadingResume"] as? [String: Any])
    change(&own)
    list["URLLoadingResume"] = own
    return try encode(list)
  }

  @Test func roundTrip() throws {
    let sample = try sample()
    #expect(try ResumeData(serialized: sample.serialized()) == sample)
    var bare = sample
    bare.entityTag = nil
    bare.expectedTotalLength = -1
    bare.headers = []
    #expect(try ResumeData(serialized: bare.serialized()) == bare)
  }

  @Test func hasApplesKeys() throws {
    let data = try sample().serialized()
    #expect(data.starts(with: "bplist00".utf8))
    let list = try list(data)
    #expect(list["NSURLSessionDownloadURL"] as? String == "https://example.org/b?x=1")
    #expect(list["NSURLSessionResumeInfoVersion"] as? Int == 2)
    #expect(list["NSURLSessionResumeBytesReceived"] as? Int == 5_000_000_000)
    #expect(list["NSURLSessionResumeInfoTempFileName"] as? String == "partial ü.tmp")
    #expect(list["NSURLSessionResumeInfoLocalPath"] as? String == "/tmp/partial ü.tmp")
    #expect(list["NSURLSessionResumeEntityTag"] as? String == "\"tag\"")
    #expect(list["NSURLSessionResumeServerDownloadDate"] as? String == "Sun, 06 Nov 1994 08:49:37 GMT")
    let original = try #require(list["NSURLSessionResumeOriginalRequest"] as? [String: Any])
    #expect(original["url"] as? String == "http://example.org/a")
    #expect((list["NSURLSessionResumeCurrentRequest"] as? [String: Any])?["method"] as? String == "GET")
  }

  static let secretFields = [
    "Authorization", "proxy-authorization", "COOKIE", "X-Api-Key", "apikey", "Private-Token", "X-Client-Secret",
    "X-Amz-Signature", "X-Session", "X-Auth-User", "X-Passphrase", "X-Credential", "X-JWT",
  ]

  /// A download that has credentials of all kinds, each with the word "hunter2" or "bunny".
  private func secretive() throws -> ResumeData {
    var sample = try sample()
    for name in Self.secretFields { sample.headers.append(.init(name: name, value: "hunter2")) }
    sample.headers.append(.init(name: "Referer", value: "http://bunny:hunter2@example.org/"))
    sample.url = try #require(URL(string: "ftp://bunny:hunter2@example.org/b"))
    sample.originalURL = try #require(URL(string: "archive://http%3A%2F%2Fbunny%3Ahunter2%40example.org%2Fx.zip/a"))
    return sample
  }

  @Test func credentialsAreNeverStored() throws {
    let data = try secretive().serialized(ResumeSecrets())
    for form in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let written = try PropertyListSerialization.data(fromPropertyList: list(data), format: form, options: 0)
      #expect(written.range(of: Data("hunter2".utf8)) == nil)
      #expect(written.range(of: Data("bunny".utf8)) == nil)
    }
    // In another process.
    let read = try ResumeData(serialized: data, secrets: ResumeSecrets())
    #expect(read.url.absoluteString == "ftp://example.org/b")
    #expect(read.originalURL.absoluteString == "archive://http%3A%2F%2Fexample.org%2Fx.zip/a")
    #expect(try read.headers == sample().headers)
    #expect(read.missingFields == Self.secretFields + ["Referer"])
    #expect(read.missesUser)
    // What it lacks is still known when it is written again.
    let again = try ResumeData(serialized: read.serialized(ResumeSecrets()), secrets: ResumeSecrets())
    #expect(again == read)
    // Nor taken from data that somebody else wrote.
    let foreign = try own {
      $0["url"] = "ftp://user:hunter2@example.org/b"
      $0["headers"] = [["Authorization", "x"], ["A", "b"]]
    }
    #expect(try ResumeData(serialized: foreign).url.user == nil)
    #expect(try ResumeData(serialized: foreign).headers == [.init(name: "A", value: "b")])
  }

  @Test func theSameProcessFindsCredentialsAgain() throws {
    let (sample, secrets) = (try secretive(), ResumeSecrets())
    let read = try ResumeData(serialized: sample.serialized(secrets), secrets: secrets)
    #expect(read.originalURL == sample.originalURL)
    #expect(Set(read.headers.map(\.name)) == Set(sample.headers.map(\.name)))
    #expect(read.headers.count == sample.headers.count)
    #expect(read.missingFields.isEmpty && !read.missesUser)
    let own = try #require(list(sample.serialized(secrets))["URLLoadingResume"] as? [String: Any])
    let key = try #require(own["key"] as? String)
    #expect(key.count == 32 && key.allSatisfy(\.isHexDigit))
    #expect(own["version"] as? Int == 2)
    #expect(try list(self.sample().serialized(secrets))["key"] == nil)
  }

  @Test func aKeyIsGoodForItsURLAlone() throws {
    let secrets = ResumeSecrets()
    var list = try list(secretive().serialized(secrets))
    var own = try #require(list["URLLoadingResume"] as? [String: Any])
    own["originalURL"] = "http://elsewhere.example/"
    list["URLLoadingResume"] = own
    let read = try ResumeData(serialized: encode(list), secrets: secrets)
    #expect(!read.headers.contains { $0.value.contains("hunter2") })
    #expect(read.missingFields.contains("X-Api-Key"))
  }

  @Test func onlySoManySecretsAreKept() throws {
    let secrets = ResumeSecrets(limit: 3)
    let url = try #require(URL(string: "http://u:p@h/"))
    let keys = (0..<5).map { secrets.keep(.init(originalURL: url, fields: [.init(name: "A", value: "\($0)")])) }
    #expect(Set(keys).count == 5)
    #expect(keys.map { secrets.find($0)?.fields.first?.value } == [nil, nil, "2", "3", "4"])
  }

  @Test func versionOneIsReadWithItsFields() throws {
    let data = try own {
      $0["version"] = 1
      $0["headers"] = [["X-Api-Key", "abc"], ["Accept", "*/*"]]
    }
    let read = try ResumeData(serialized: data)
    #expect(read.headers == [.init(name: "X-Api-Key", value: "abc"), .init(name: "Accept", value: "*/*")])
    #expect(read.missingFields.isEmpty)
    #expect(try read.serialized(ResumeSecrets()).range(of: Data("abc".utf8)) == nil)
  }

  @Test func applesFormAlone() throws {
    var list = try list(sample().serialized())
    list["URLLoadingResume"] = nil
    let read = try ResumeData(serialized: encode(list))
    #expect(read.url.absoluteString == "https://example.org/b?x=1")
    #expect(read.originalURL.absoluteString == "http://example.org/a")
    #expect(read.localPath == "/tmp/partial ü.tmp")
    #expect(read.expectedTotalLength == -1)
    list["NSURLSessionResumeInfoLocalPath"] = nil
    list["NSURLSessionResumeCurrentRequest"] = Data("archived".utf8)
    list["NSURLSessionResumeOriginalRequest"] = Data("archived".utf8)
    let named = try ResumeData(serialized: encode(list))
    #expect(named.localPath.utf8.first == UInt8(ascii: "/") && named.localPath.hasSuffix("/partial ü.tmp"))
    #expect(named.originalURL == named.url)
    list["NSURLSessionResumeInfoTempFileName"] = "../../etc/passwd"
    #expect(throws: ResumeDataError.self) { try ResumeData(serialized: encode(list)) }
  }

  @Test func readsXMLToo() throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: list(sample().serialized()), format: .xml, options: 0)
    #expect(try ResumeData(serialized: data) == sample())
  }

  @Test(arguments: [
    ("version", ResumeDataError.missing("version")), ("url", .missing("URL")),
    ("bytesReceived", .missing("number of bytes received")), ("localPath", .missing("path of the partial file")),
  ])
  func missing(key: String, error: ResumeDataError) throws {
    let data = try own { $0[key] = nil }
    #expect(throws: error) { try ResumeData(serialized: data) }
  }

  @Test func needsAValidator() throws {
    let data = try own {
      $0["entityTag"] = ""
      $0["lastModified"] = nil
    }
    #expect(throws: ResumeDataError.missing("entity tag or modification date")) { try ResumeData(serialized: data) }
  }

  @Test(
    arguments: [
      ("version", 3), ("version", 0), ("version", "1"), ("url", "relative/path"), ("url", ""), ("url", 7),
      ("originalURL", "x"), ("bytesReceived", -1), ("bytesReceived", "5"), ("bytesReceived", 7_000_000_000),
      ("expectedTotalLength", -2), ("localPath", "relative"), ("localPath", ""), ("localPath", "/a\0b"),
      ("localPath", "/a\0\u{301}"), ("entityTag", "a\r\nX: y"), ("lastModified", "a\nb"), ("method", ""),
      ("method", "GET /"), ("headers", [["A", "b\r\nc"]]), ("headers", [["", "b"]]), ("withheldFields", ["a\r\nb"]),
      ("withheldFields", [""]),
    ] as [(String, any Sendable)])
  func hostile(key: String, value: any Sendable) throws {
    let data = try own { $0[key] = value }
    let error = try #require(throws: ResumeDataError.self) { try ResumeData(serialized: data) }
    #expect(error.description.hasPrefix("the resume data"))
  }

  @Test func noiseNeverTraps() throws {
    #expect(throws: ResumeDataError.notAPropertyList) { try ResumeData(serialized: Data()) }
    #expect(throws: ResumeDataError.notAPropertyList) { try ResumeData(serialized: Data("bplist00".utf8)) }
    #expect(throws: ResumeDataError.notAPropertyList) {
      try ResumeData(serialized: Data("<plist><array/></plist>".utf8))
    }
    var random = SeededGenerator(seed: 8)
    let valid = try sample().serialized()
    for _ in 0..<2000 {
      var data = valid
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let read = try? ResumeData(serialized: data) { #expect(read.localPath.utf8.first == UInt8(ascii: "/")) }
    }
  }
}
