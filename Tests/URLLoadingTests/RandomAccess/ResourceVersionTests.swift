import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

@Suite struct ResourceVersionTests {
  private let url = "http://h/a" as URL

  /// A response as it comes from a server: one made by hand tells the length that it was given, whatever the coding.
  private func http(_ status: Int, _ fields: [String: String]) throws -> URLResponse {
    HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1", fields: fields.map { (name: $0.key, value: $0.value) })
  }

  private enum Kind: Equatable { case fits, changed, refused }

  private func kind(_ verdict: ResourceVersion.Verdict) -> Kind {
    switch verdict {
    case .fits: .fits
    case .changed(let error):
      error.code == .resourceUnavailable && error.failingURL == url
        && error.localizedDescription.contains("http://h/a changed while it was read") ? .changed : .refused
    case .refused: .refused
    }
  }

  private static let date = Date(timeIntervalSince1970: 1_700_000_000)
  private static let dateField = HTTPDate.string(from: date)

  @Test func anAnswerFitsOrNot() throws {
    let strong = ResourceVersion(url: url, length: 100, validators: .init(entityTag: "\"a\"", lastModified: Self.date))
    let weak = ResourceVersion(url: url, length: 100, validators: .init(entityTag: "W/\"a\""))
    let dated = ResourceVersion(url: url, length: 100, validators: .init(lastModified: Self.date))
    let none = ResourceVersion(url: url, length: 100, validators: .init())
    let range = "bytes 10-19/100"
    let other = HTTPDate.string(from: Self.date.addingTimeInterval(1))
    let cases: [(ResourceVersion, Int, [String: String], Kind)] = [
      (strong, 206, ["Content-Range": range, "ETag": "\"a\""], .fits),
      (strong, 206, ["Content-Range": "bytes 10-19/*", "ETag": "\"a\""], .fits),
      (strong, 206, ["Content-Range": range, "ETag": "\"a\"", "Last-Modified": other], .fits),
      (strong, 206, ["Content-Range": range, "ETag": "\"b\""], .changed),
      (strong, 206, ["Content-Range": range, "ETag": "W/\"a\""], .changed),
      (strong, 206, ["Content-Range": range], .changed),
      (strong, 206, ["Content-Range": "bytes 10-19/101", "ETag": "\"a\""], .changed),
      (strong, 206, ["Content-Range": "bytes 10-18/100", "ETag": "\"a\""], .changed),
      (strong, 206, ["Content-Range": "bytes 0-9/100", "ETag": "\"a\""], .changed),
      (strong, 206, ["ETag": "\"a\""], .changed),
      (strong, 206, ["Content-Range": "nonsense", "ETag": "\"a\""], .changed),
      (strong, 200, ["ETag": "\"a\""], .changed),
      (strong, 416, ["Content-Range": "bytes */5"], .changed),
      (strong, 404, [:], .refused), (strong, 503, [:], .refused), (strong, 304, [:], .refused),
      (weak, 206, ["Content-Range": range, "ETag": "W/\"a\""], .fits),
      (weak, 206, ["Content-Range": range], .fits),
      (weak, 206, ["Content-Range": range, "ETag": "W/\"b\""], .changed),
      (weak, 206, ["Content-Range": "bytes 10-19/*", "ETag": "W/\"a\""], .changed),
      (dated, 206, ["Content-Range": range, "Last-Modified": Self.dateField], .fits),
      (dated, 206, ["Content-Range": range], .fits),
      (dated, 206, ["Content-Range": range, "Last-Modified": other], .changed),
      (none, 206, ["Content-Range": range], .fits),
      (none, 206, ["Content-Range": "bytes 10-19/*"], .changed),
      (none, 206, ["Content-Range": "bytes 10-19/99"], .changed),
      (none, 206, ["Content-Range": range, "Content-Encoding": "gzip"], .refused),
      (none, 206, ["Content-Range": range, "Content-Length": "9"], .refused),
    ]
    for (version, status, fields, expected) in cases {
      #expect(kind(version.judge(try http(status, fields), asked: 10..<20)) == expected, "\(status) \(fields)")
    }
    let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: 100, textEncodingName: nil)
    #expect(kind(none.judge(plain, asked: 10..<20)) == .changed)
  }

  @Test func theFirstAnswerTellsWhatTheResourceIs() throws {
    func answer(_ status: Int, _ fields: [String: String], _ asked: ByteRange) throws -> String {
      switch FirstAnswer(try http(status, fields), asked: asked, url: url) {
      case .part(let bytes, let length): "\(bytes) of \(length)"
      case .whole(let length): "whole \(length.map(String.init) ?? "?")"
      case .empty: "empty"
      case .coded: "coded"
      case .refusedRange: "refused range"
      case .refused(let error): "\(error.code.rawValue)"
      }
    }
    let beginning = ByteRange.positions(first: 0, last: 9)
    let suffix = ByteRange.suffix(length: 10)
    let bad = "\(URLError.badServerResponse.rawValue)"
    #expect(try answer(206, ["Content-Range": "bytes 0-9/100"], beginning) == "0..<10 of 100")
    #expect(try answer(206, ["Content-Range": "bytes 0-4/5"], beginning) == "0..<5 of 5")
    #expect(try answer(206, ["Content-Range": "bytes 90-99/100"], suffix) == "90..<100 of 100")
    #expect(try answer(206, ["Content-Range": "bytes 90-99/*"], suffix) == "90..<100 of 100")
    #expect(try answer(206, ["Content-Range": "bytes 0-3/4"], suffix) == "0..<4 of 4")
    // Whether such a range ends with the resource nobody knows.
    #expect(try answer(206, ["Content-Range": "bytes 0-4/*"], beginning) == bad)
    #expect(try answer(206, ["Content-Range": "bytes 0-8/100"], beginning) == bad)
    #expect(try answer(206, ["Content-Range": "bytes 1-9/100"], beginning) == bad)
    #expect(try answer(206, ["Content-Range": "bytes 80-89/100"], suffix) == "refused range")
    #expect(try answer(206, ["Content-Range": "bytes 0-10/100"], suffix) == "refused range")
    #expect(try answer(206, ["Content-Range": "bytes 95-99/*"], suffix) == "refused range")
    #expect(try answer(206, [:], beginning) == bad)
    #expect(try answer(206, ["Content-Range": "bytes 0-9/100", "Content-Encoding": "gzip"], beginning) == "coded")
    #expect(try answer(206, ["Content-Range": "bytes 0-9/100", "Content-Length": "9"], beginning) == bad)
    #expect(try answer(206, ["Content-Type": "multipart/byteranges; boundary=x"], suffix) == "refused range")
    #expect(try answer(200, ["Content-Length": "7"], suffix) == "whole 7")
    #expect(try answer(200, ["Content-Length": "7", "Content-Encoding": "gzip"], suffix) == "whole ?")
    let tag = ["ETag": "\"a\""]
    #expect(
      try answer(200, tag.merging(["Content-Range": "bytes 90-99/100"]) { $1 }, suffix) == "90..<100 of 100")
    #expect(
      try answer(200, tag.merging(["Content-Range": "bytes 0-9/100", "Content-Length": "10"]) { $1 }, beginning)
        == "0..<10 of 100")
    #expect(try answer(200, ["Content-Range": "bytes 90-99/100"], suffix) == bad)
    #expect(try answer(200, tag.merging(["Content-Range": "bytes */100"]) { $1 }, suffix) == "refused range")
    #expect(
      try answer(206, ["Content-Range": "bytes 0-9/100", "Content-Encoding": "UTF-8"], beginning) == "0..<10 of 100")
    #expect(try answer(200, ["Content-Length": "7", "Content-Encoding": "UTF-8"], suffix) == "whole 7")
    #expect(try answer(416, ["Content-Range": "bytes */0"], suffix) == "empty")
    #expect(try answer(416, ["Content-Range": "bytes */9"], suffix) == "refused range")
    for status in [400, 416, 501] {
      #expect(try answer(status, [:], suffix) == "refused range" && answer(status, [:], beginning) == "refused range")
      #expect(try answer(status, [:], .positions(first: 10, last: 19)) == bad)
    }
    #expect(try answer(404, [:], suffix) == "\(URLError.fileDoesNotExist.rawValue)")
    #expect(try answer(403, [:], suffix) == "\(URLError.noPermissionsToReadFile.rawValue)")
    #expect(try answer(401, [:], suffix) == "\(URLError.userAuthenticationRequired.rawValue)")
    #expect(try answer(500, [:], suffix) == bad && answer(304, [:], suffix) == bad && answer(204, [:], suffix) == bad)
  }

  @Test func optionsAreKeptWithinTheirLimits() {
    var options = RandomAccessOptions()
    #expect(options.effectiveFirstRange == .positions(first: 0, last: 32_767))
    #expect(BlockCacheMachine.Limits(options, connections: 6).requestBlocks == 128)
    options.firstRange = .beginning(32_769)
    #expect(options.effectiveFirstRange == .positions(first: 0, last: 65_535))
    options.firstRange = .suffix(1 << 40)
    #expect(options.effectiveFirstRange == .suffix(length: 8 << 20))
    for (block, cached, first) in [(0, 0, 0), (-1, -1, -1), (Int.max, Int.max, Int.max), (Int.min, Int.min, Int.min)] {
      options.blockSize = block
      options.maximumCachedBytes = cached
      options.maximumReadAhead = block
      options.firstRange = .beginning(first)
      let limits = BlockCacheMachine.Limits(options, connections: block)
      #expect(limits.cachedBlocks >= 2 && limits.requestBlocks >= 1 && limits.readAheadBlocks >= 0 && limits.loads >= 1)
      guard case .positions(0, let last) = options.effectiveFirstRange else { return #expect(Bool(false)) }
      #expect(last > 0)
    }
  }
}
