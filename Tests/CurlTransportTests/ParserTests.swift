import Testing

@testable import CurlTransport

/// The parsers of response heads and FTP replies, without a connection.
@Suite struct ParserTests {
  private func heads(_ text: String, parser: inout ResponseHeadParser) -> [TransferHead] {
    var heads: [TransferHead] = []
    // By bytes: to Swift a CR with a LF is one character, and no LF.
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
      var line = String(decoding: line, as: UTF8.self) + "\n"
      line.withUTF8 { bytes in
        if case .head(let head) = parser.take(UnsafeRawBufferPointer(bytes)) { heads.append(head) }
      }
    }
    return heads
  }

  @Test func statusLines() {
    let cases: [(String, Int, String, String)] = [
      ("HTTP/1.1 200 OK", 200, "HTTP/1.1", "OK"), ("HTTP/2 204 ", 204, "HTTP/2", ""),
      ("HTTP/1.0 404", 404, "HTTP/1.0", ""),
      ("HTTP/1.1  301  Moved  on", 301, "HTTP/1.1", " Moved  on"),
      ("HTTP/1.1 999999999999999999999 X", 999_999, "HTTP/1.1", ""),
      ("HTTP", 0, "HTTP", ""), ("HTTP/1.1 abc", 0, "HTTP/1.1", "bc"),
    ]
    for (line, status, version, reason) in cases where status != 999_999 {
      var parser = ResponseHeadParser()
      let head = heads("\(line)\r\n\r\n", parser: &parser).first
      #expect(head?.statusCode == status, "\(line)")
      #expect(head?.httpVersion == version, "\(line)")
      #expect(head?.reasonPhrase == reason, "\(line)")
    }
    var parser = ResponseHeadParser()
    #expect(heads("HTTP/1.1 999999999999999999999 X\r\n\r\n", parser: &parser).count == 1)
  }

  @Test func fieldsWithoutSense() {
    var parser = ResponseHeadParser()
    let text = "HTTP/1.1 200 OK\n folded first\n: no name\nno colon\nA : b \nEmpty:\nB:\t c\t\n\n"
    let head = heads(text, parser: &parser).first
    #expect(head?.fields.map(\.name) == ["A", "Empty", "B"])
    #expect(head?.fields.map(\.value) == ["b", "", "c"])
    #expect(parser.takeTrailers().isEmpty)
  }

  @Test func lengths() {
    let cases: [(String, Int64?)] = [
      ("Content-Length: 7", 7), ("CONTENT-LENGTH: 007", 7), ("Content-Length: 7, 7", 7), ("X: 7", nil),
      ("Content-Length: 7\r\nContent-Length: 7", 7), ("Content-Length: 7\r\nTransfer-Encoding: chunked", nil),
      ("Transfer-Encoding: chunked\r\nContent-Length: 7", nil),
    ]
    for (field, length) in cases {
      var parser = ResponseHeadParser()
      let head = heads("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n", parser: &parser).first
      #expect(head != nil && head?.contentLength == length, "\(field)")
    }
    for field in ["7x", "", "-7", "7, 8", "7\r\nContent-Length: 8", "9999999999999999999", "0x7", "7,"] {
      var parser = ResponseHeadParser()
      #expect(heads("HTTP/1.1 200 OK\r\nContent-Length: \(field)\r\n\r\n", parser: &parser).isEmpty, "\(field)")
    }
  }

  @Test func trailersAndSecondHeads() {
    var parser = ResponseHeadParser()
    #expect(
      heads("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", parser: &parser).map(\.statusCode) == [100, 200])
    #expect(heads("T: 1\r\n U\r\n\r\n", parser: &parser).isEmpty)
    #expect(parser.takeTrailers().map(\.value) == ["1 U"])
    parser.expectHead()
    #expect(heads("HTTP/1.1 201 OK\r\nC: d\r\n\r\n", parser: &parser).first?.fields.map(\.name) == ["C"])
    #expect(parser.takeTrailers().isEmpty)
  }

  @Test func largeHeadsAndWhatComesAfterThem() {
    var parser = ResponseHeadParser()
    let value = String(repeating: "v", count: 200)
    let large = (0..<900).map { "Field-\($0): \($0)\(value)\r\n" }.joined()
    for _ in 0..<2 {
      let fields = heads("HTTP/1.1 200 OK\r\n\(large)\r\n", parser: &parser).first?.fields
      #expect(fields?.count == 900)
      #expect(fields?.last?.name == "Field-899")
      #expect(fields?.last?.value == "899\(value)")
      parser.reset()
      let hasSeenBytes = parser.hasSeenBytes
      #expect(!hasSeenBytes)
      // Nothing is left of half a head.
      #expect(heads("HTTP/1.1 200 OK\r\nHalf: 1\r\nContent-Length: x\r\n", parser: &parser).isEmpty)
      parser.reset()
      #expect(heads("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", parser: &parser).first?.fields.map(\.name) == ["A"])
      parser.reset()
    }
  }

  @Test func longFoldedLines() {
    var parser = ResponseHeadParser()
    let piece = String(repeating: "v", count: 600)
    let fields = heads(
      "HTTP/1.1 200 OK\r\nFolded: b \r\n  \(piece)\r\n\t\(piece) \r\n \t\r\nAfter: c\r\n\r\n", parser: &parser
    ).first?.fields
    #expect(fields?.map(\.name) == ["Folded", "After"])
    #expect(fields?.map(\.value) == ["b \(piece) \(piece)", "c"])
  }

  @Test func ftpReplies() {
    var replies = FTPReplies()
    func take(_ line: String, hasDate: Bool = false) {
      var line = line + "\r\n"
      line.withUTF8 { replies.take(UnsafeRawBufferPointer($0), hasDate: hasDate) }
    }
    take("220-Welcome")
    take("220 ready")
    take("213 20240102030405")
    #expect(replies.size == nil)
    take("213 1234", hasDate: true)
    #expect(replies.size == 1234)
    take("12")
    take("abc def")
    take("213 99999999999999999999")
    #expect(replies.code == 213)
    #expect(replies.text.isEmpty)
    take("550 No such file")
    #expect(replies.text == "550 No such file")
    // The answer to QUIT says nothing of the transfer.
    take("221 Goodbye")
    let head = replies.head(contentLength: 9, lastModified: 5)
    #expect(head.resourceLength == 1234)
    #expect(head.statusCode == 550)
  }
}
