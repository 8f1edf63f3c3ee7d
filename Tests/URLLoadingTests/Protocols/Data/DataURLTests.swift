import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct DataURLTests {
  @Test(arguments: [
    ("data:,X", "text/plain;charset=US-ASCII", "X"),
    ("data:,", "text/plain;charset=US-ASCII", ""),
    ("DATA:,X", "text/plain;charset=US-ASCII", "X"),
    ("data:,X#fragment", "text/plain;charset=US-ASCII", "X"),
    ("data:,X%23Y", "text/plain;charset=US-ASCII", "X#Y"),
    ("data:,a,b", "text/plain;charset=US-ASCII", "a,b"),
    ("data:,%", "text/plain;charset=US-ASCII", "%"),
    ("data:,%4", "text/plain;charset=US-ASCII", "%4"),
    ("data:,%zz%41%", "text/plain;charset=US-ASCII", "%zzA%"),
    ("data:;charset=utf-8,X", "text/plain;charset=utf-8", "X"),
    ("data:text/html,X", "text/html", "X"),
    ("data:text/html  ,X", "text/html", "X"),
    ("data:%20text/html,X", "text/html", "X"),
    ("data:text/html;charset=%22a%20b%22,X", "text/html;charset=\"a b\"", "X"),
    ("data:%2ftext/html,X", "%2ftext/html", "X"),
    ("data:bogus,X", "text/plain;charset=US-ASCII", "X"),
    ("data:;base64,WA", "text/plain;charset=US-ASCII", "X"),
    ("data:;base64,WA==", "text/plain;charset=US-ASCII", "X"),
    ("data:;BASe64,WA", "text/plain;charset=US-ASCII", "X"),
    ("data:;base64  ,WA", "text/plain;charset=US-ASCII", "X"),
    ("data:;%20%20base64,WA", "text/plain;charset=US-ASCII", "X"),
    ("data:;charset=x;base64,WA", "text/plain;charset=x", "X"),
    ("data:;base64;sdfsdf,WA", "text/plain", "WA"),
    ("data:x/x;base64;base64x,WA", "x/x", "WA"),
    ("data:base64,WA", "text/plain;charset=US-ASCII", "WA"),
    ("data:x/x;base64,W%20A%0a", "x/x", "X"),
    ("data:x/x;base64,%57A%3D=", "x/x", "X"),
    ("data:x/x;base64,", "x/x", ""),
  ])
  func valid(url: String, type: String, body: String) throws {
    let parsed = try DataURL(url)
    #expect(parsed.mediaType.serialized == type)
    #expect(try parsed.body.decode() == Data(body.utf8))
    #expect(parsed.body.count == body.utf8.count)
  }

  @Test(arguments: [
    ("data:", DataURLError.missingComma), ("data:text/plain", .missingComma), ("data:text/plain#,x", .missingComma),
    ("http://x/,", .wrongScheme), ("dat:,X", .wrongScheme), ("", .wrongScheme), ("dat", .wrongScheme),
    ("data:;base64,W", .invalidBase64), ("data:;base64,WA=", .invalidBase64), ("data:;base64,W*A", .invalidBase64),
    ("data:;base64,WAAA%", .invalidBase64), ("data:;base64,=", .invalidBase64), ("data:;base64,====", .invalidBase64),
  ])
  func invalid(url: String, error: DataURLError) {
    #expect(throws: error) { try DataURL(url) }
  }

  @Test func typeAndCharsetOfTheResponse() throws {
    let parsed = try DataURL("data:text/html;charset=ISO-8859-1,X")
    #expect(parsed.mimeType == "text/html")
    #expect(parsed.textEncodingName == "ISO-8859-1")
    #expect(try DataURL("data:image/png,").textEncodingName == nil)
    #expect(try DataURL("data:,").textEncodingName == "US-ASCII")
  }

  @Test func whatURLEscapesIsUnderstood() throws {
    // URL escapes the spaces and the quotes here.
    let url = try #require(URL(string: "data:text/plain;charset=\"utf 8\" ; base64,WA =="))
    let parsed = try DataURL(url)
    #expect(parsed.mediaType.serialized == "text/plain;charset=\"utf 8\"")
    #expect(try parsed.body.decode() == Data("X".utf8))
    let accented = try #require(URL(string: "data:,é"))
    #expect(try DataURL(accented).body.decode() == Data("é".utf8))
  }

  @Test(arguments: [0, 1, 2])
  func everyRangeOfEveryKindOfBody(remainder: Int) throws {
    let bytes = Data((0..<60 + remainder).map { UInt8($0 * 7 & 0x7F | 0x01) })
    let base64 = bytes.base64EncodedString()
    let escaped = bytes.map { String(format: "%%%02x", $0) }.joined()
    let bodies = [
      "data:;base64," + base64, "data:;base64," + base64.replacingOccurrences(of: "=", with: ""),
      "data:;base64,%20" + base64, "data:," + escaped,
    ]
    for text in bodies {
      let body = try DataURL(text).body
      #expect(body.count == bytes.count)
      for lower in 0...bytes.count {
        for upper in lower...bytes.count {
          #expect(
            try difference(body.decode(range: lower..<upper), from: bytes[lower..<upper]) == nil,
            "\(lower)..<\(upper) of \(text)")
        }
      }
      #expect(try difference(body.decode(range: 50..<1000), from: bytes[50...]) == nil)
      #expect(try body.decode(range: 1000..<2000).isEmpty)
    }
    let literal = try DataURL("data:,0123456789").body
    #expect(try literal.decode(range: 2..<5) == Data("234".utf8))
  }

  @Test(arguments: ["data:;base64,", "data:;base64,%0A", "data:,"])
  func rangesAcrossPieces(start: String) throws {
    var random = SeededGenerator(seed: 5)
    let piece = DataURLBody.largestPiece
    let isBase64 = start.contains("base64")
    // Letters where the text is the body itself.
    let bytes = Data(
      (0..<2 * piece + 100).map { _ in UInt8.random(in: isBase64 ? 0...255 : 0x61...0x7A, using: &random) })
    let text = isBase64 ? bytes.base64EncodedString() : String(decoding: bytes, as: UTF8.self)
    let body = try DataURL(start + text).body
    #expect(body.count == bytes.count)
    for range in [0..<bytes.count, 1..<piece + 1, 2..<piece, piece - 1..<piece + 2, piece..<2 * piece + 99] {
      #expect(try difference(body.decode(range: range), from: bytes[range]) == nil, "\(range)")
      #expect(try body.withPiece(of: range) { _ in } == min(range.count, piece))
    }
  }

  @Test func noiseNeverTraps() throws {
    var random = SeededGenerator(seed: 4)
    let alphabet = Array("data:;,base64=%#\"\\/ AZaz09+\u{0}é\n".unicodeScalars)
    for _ in 0..<20_000 {
      var text = Bool.random(using: &random) ? "data:" : ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "x")
      }
      if let parsed = try? DataURL(text) {
        #expect(try parsed.body.decode().count == parsed.body.count)
        #expect(MIMEType(parsing: parsed.mediaType.serialized) == parsed.mediaType)
      }
    }
  }
}
