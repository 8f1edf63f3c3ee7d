import Foundation
import Testing
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// Requests and responses as they go to other processes and into queues.
@Suite struct CompactFormTests {
  private static func request() throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "https://u:p@example.org/a?b=ü#c")))
    request.httpMethod = "PATCH"
    request.cachePolicy = .returnCacheDataElseLoad
    request.networkServiceType = .background
    request.timeoutInterval = 17.25
    request.httpShouldHandleCookies = false
    request.mainDocumentURL = URL(string: "https://example.org/")
    request.allowsExpensiveNetworkAccess = false
    request.setValue("1", forHTTPHeaderField: "A")
    request.addValue("2", forHTTPHeaderField: "a")
    request.setValue("", forHTTPHeaderField: "Empty")
    request.httpBody = Data("body\0".utf8)
    return request
  }

  private static func response() throws -> HTTPURLResponse {
    let url = try #require(URL(string: "https://example.org/a"))
    return HTTPURLResponse(
      url: url, statusCode: 206, httpVersion: "HTTP/2",
      fields: [("set-cookie", "a=b"), ("Set-Cookie", "c=d"), ("Content-Range", "bytes 1-2/9")])
  }

  @Test func requestsComeBackAsTheyWere() throws {
    let request = try Self.request()
    let data = BackgroundValues.data(of: request)
    #expect(BackgroundValues.request(data) == request)
    #expect(BackgroundValues.data(of: try #require(BackgroundValues.request(data))) == data)
    let plain = URLRequest(url: try #require(URL(string: "http://example.org/")))
    let copy = try #require(BackgroundValues.request(BackgroundValues.data(of: plain)))
    #expect(copy == plain)
    // The default is not one that was set.
    #expect(copy.values.explicitMethod == nil && copy.values.explicitTimeoutInterval == nil)
  }

  /// One at a time: two in each other's place would pass unseen.
  @Test func eachOptionOfARequestComesBack() throws {
    let plain = URLRequest(url: try #require(URL(string: "http://example.org/")))
    let changes: [(inout URLRequest) -> Void] = [
      { $0.allowsCellularAccess = false }, { $0.allowsExpensiveNetworkAccess = false },
      { $0.allowsConstrainedNetworkAccess = false }, { $0.httpShouldUsePipelining = true },
      { $0.assumesHTTP3Capable = true }, { $0.requiresDNSSECValidation = true }, { $0.attribution = .user },
      { $0.cookiePartitionIdentifier = "part" },
    ]
    for (index, change) in changes.enumerated() {
      var request = plain
      change(&request)
      #expect(request != plain, "\(index)")
      #expect(BackgroundValues.request(BackgroundValues.data(of: request)) == request, "\(index)")
    }
  }

  @Test func whatIsAttachedToARequestComesAlong() throws {
    var request = URLRequest(url: try #require(URL(string: "http://example.org/")))
    request.change { $0.protocolProperties = ["plain": ["a", "b"], "object": NSObject()] }
    let copy = try #require(BackgroundValues.request(BackgroundValues.data(of: request)))
    #expect(copy.values.protocolProperties["plain"] as? [String] == ["a", "b"])
    #expect(copy.values.protocolProperties.count == 1)
  }

  @Test func responsesComeBackAsTheyWere() throws {
    let response = try Self.response()
    let data = BackgroundValues.data(of: response)
    let copy = try #require(BackgroundValues.response(data) as? HTTPURLResponse)
    #expect(copy == response && copy.httpVersion == "HTTP/2" && copy.isReceived)
    #expect(copy.fields.values(of: "Set-Cookie") == ["a=b", "c=d"])
    let url = try #require(response.url)
    for odd in [-1, 1000] {
      let response = HTTPURLResponse(url: url, statusCode: odd, httpVersion: "HTTP/1.1", fields: [("A", "b")])
      let read = try #require(BackgroundValues.response(BackgroundValues.data(of: response)) as? HTTPURLResponse)
      #expect(read.statusCode == odd && read.value(forHTTPHeaderField: "a") == "b")
    }
    let many = (0..<20_000).map { (name: "X-\($0)", value: "") }
    let long = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: many)
    #expect(BackgroundValues.response(BackgroundValues.data(of: long)) == long)
    let other = URLResponse(
      url: url, mimeType: "a/b", expectedContentLength: 7 as Int64, textEncodingName: "utf-8",
      validators: ResourceValidators(entityTag: "\"1\"", lastModified: Date(timeIntervalSince1970: 9)),
      acceptsByteRanges: true)
    #expect(BackgroundValues.response(BackgroundValues.data(of: other)) == other)
  }

  @Test func cutAndLongerOnesAreNone() throws {
    let (request, response) = (
      BackgroundValues.data(of: try Self.request()), BackgroundValues.data(of: try Self.response())
    )
    for length in 0..<request.count { #expect(BackgroundValues.request(request.prefix(length)) == nil, "\(length)") }
    for length in 0..<response.count { #expect(BackgroundValues.response(response.prefix(length)) == nil, "\(length)") }
    #expect(BackgroundValues.request(request + [0]) == nil)
    #expect(BackgroundValues.response(response + [0]) == nil)
  }

  /// Whatever is read is a value: what it is written as is read again.
  @Test func flippedBytesEndNothing() throws {
    var random = SeededGenerator(seed: 31)
    let originals = [BackgroundValues.data(of: try Self.request()), BackgroundValues.data(of: try Self.response())]
    for round in 0..<20_000 {
      var data = originals[round % 2]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if round % 2 == 0, let read = BackgroundValues.request(data) {
        #expect(BackgroundValues.request(BackgroundValues.data(of: read)) != nil, "round \(round)")
      } else if round % 2 == 1, let read = BackgroundValues.response(data) as? HTTPURLResponse {
        #expect(BackgroundValues.response(BackgroundValues.data(of: read)) is HTTPURLResponse, "round \(round)")
      }
    }
  }

  @Test func numbersOfThingsTakeNoMemory() {
    var writer = CompactWriter()
    writer.number(UInt64(Int.max))
    for count in [writer.bytes, [UInt8](repeating: 0xFF, count: 8)] {
      for read: (inout CompactReader) -> Bool in [
        { $0.bytes() == nil }, { $0.text() == nil }, { $0.list(atMost: .max) { $0.byte() } == nil },
      ] {
        var reader = CompactReader(count[...])
        let isRefused = read(&reader)
        #expect(isRefused)
      }
    }
  }

  /// A description that compares as another one would have the service make its sessions anew.
  @Test func dictionariesAreTheSameBytesInWhateverOrder() throws {
    let keys = (0..<50).map { "key \($0)" }
    let first = Dictionary(uniqueKeysWithValues: keys.map { ($0, ["b": 1, "a": 2]) })
    var second: [AnyHashable: Any] = Dictionary(minimumCapacity: 1000)
    for key in keys.reversed() { second[key] = ["a": 2, "b": 1] }
    let data = try #require(BackgroundValues.data(of: first as [AnyHashable: Any]))
    #expect(BackgroundValues.data(of: second) == data)
    #expect(BackgroundValues.dictionary(data)?.count == 50)
    // XML has no way to write this one.
    let odd = try #require(BackgroundValues.data(of: ["a\u{1}": "\u{2}"] as [AnyHashable: Any]))
    #expect(BackgroundValues.dictionary(odd)?["a\u{1}"] as? String == "\u{2}")
  }
}
