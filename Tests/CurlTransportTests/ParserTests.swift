import Testing

@testable import URLLoadingCurlTransport

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

  private func failure(_ text: String, parser: inout ResponseHeadParser) -> TransferFailure.Reason? {
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
      let event = (Array(line) + [10]).withUnsafeBytes { parser.take($0) }
      if case .failure(let reason) = event { return reason }
    }
    return nil
  }

  @Test func statusLines() {
    let cases: [(String, Int, String)] = [
      ("HTTP/1.1 200 OK", 200, "HTTP/1.1"), ("HTTP/2 204 ", 204, "HTTP/2"), ("HTTP/1.0 404", 404, "HTTP/1.0"),
      ("HTTP/1.1  301  Moved  on", 301, "HTTP/1.1"), ("HTTP/1.1 \t200 OK", 200, "HTTP/1.1"),
      ("HTTP/1.1\t200 OK", 200, "HTTP/1.1"), ("HTTP/1.1 200OK", 200, "HTTP/1.1"), ("HTTP/3 200", 200, "HTTP/3"),
    ]
    for (line, status, version) in cases {
      var parser = ResponseHeadParser()
      let head = heads("\(line)\r\n\r\n", parser: &parser).first
      #expect(head?.statusCode == status, "\(line)")
      #expect(head?.httpVersion == version, "\(line)")
    }
  }

  @Test(arguments: [
    "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 abc", "HTTP/1. 1 200 OK", "HTTP/ 1.1 200 OK", "HTTP/1.1 20 OK",
    "HTTP/1.1 2 00 OK", "HTTP/1.1 +200 OK", "HTTP/1.1 \r200 OK", "HTTP/1.1\r200 OK", "HTTP/1.1 2000 OK",
    "HTTP/x 200 OK",
    "HTTP/1.1 099 OK", "HTTP/1.1 999999999999999999999 X", "http/1.1 200 OK", "200 OK", "HTTP/1.11 200 OK",
  ])
  func whatIsNoStatusLine(_ line: String) {
    var parser = ResponseHeadParser()
    #expect(failure("\(line)\r\n", parser: &parser) != nil)
  }

  /// RFC 9110, section 5.5: a space in its place makes it harmless.
  @Test func aCarriageReturnInAValueIsASpace() {
    var parser = ResponseHeadParser()
    let text = "HTTP/1.1 200 O\rK\r\nA: b\rInjected: yes\r\nB: c\r\r\nC:\rd\r\n e\rf\r\nD: g\r\n\r\n"
    let head = heads(text, parser: &parser).first
    #expect(head?.fields.map(\.name) == ["A", "B", "C", "D"])
    #expect(head?.fields.map(\.value) == ["b Injected: yes", "c", "d e f", "g"])
  }

  @Test(arguments: ["X\rY: z", "\rX: z", "\r X: z", "\rX"]) func aCarriageReturnBeforeTheColon(_ line: String) {
    var parser = ResponseHeadParser()
    #expect(failure("HTTP/1.1 200 OK\r\nA: b\r\n\(line)\r\n\r\n", parser: &parser) != nil)
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
      parser = ResponseHeadParser()
      // Nothing is left of half a head.
      #expect(heads("HTTP/1.1 200 OK\r\nHalf: 1\r\nContent-Length: x\r\n", parser: &parser).isEmpty)
      parser = ResponseHeadParser()
      #expect(heads("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", parser: &parser).first?.fields.map(\.name) == ["A"])
      parser = ResponseHeadParser()
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
    func send(_ line: String) {
      var line = line + "\r\n"
      line.withUTF8 { replies.sent(UnsafeRawBufferPointer($0)) }
    }
    func take(_ line: String) {
      var line = line + "\r\n"
      line.withUTF8 { replies.take(UnsafeRawBufferPointer($0)) }
    }
    take("220-Welcome")
    take("220 ready")
    send("MDTM x")
    #expect(replies.openQuestion == .date)
    take("213 20240102030405")
    #expect(replies.size == nil && replies.lastModified == 1_704_164_645 && replies.openQuestion == nil)
    send("SIZE x")
    take("213-one moment")
    #expect(replies.openQuestion == .size)
    take("213 1234")
    // Not asked for.
    take("213 99")
    #expect(replies.size == 1234)
    take("12")
    take("abc def")
    #expect(replies.code == 213)
    #expect(replies.text.isEmpty)
    send("REST 5")
    #expect(!replies.refusesRestart && replies.openQuestion == nil)
    take("550 No such file")
    #expect(replies.text == "550 No such file" && replies.refusesRestart)
    // The answer to QUIT says nothing of the transfer.
    take("221 Goodbye")
    let head = replies.head(FTPRange("34-"))
    #expect(head.resourceLength == 1234 && head.contentLength == 1200)
    #expect(head.statusCode == 550)
  }

  @Test(
    arguments: [
      (["150 here"], true), (["125 here"], true), (["150-here", "150 it comes"], true),
      (["150 here", "226 done"], true), ([], false),
      (["200 so be it"], false), (["150-here"], false), (["550 No"], false), (["150 here", "426 cut off"], false),
      (["150 here", "451-disk", "451 error"], false),
    ] as [([String], Bool)])
  func transfersThatAnFTPServerAgreesTo(lines: [String], agrees: Bool) {
    var replies = FTPReplies()
    for var line in lines {
      line += "\r\n"
      line.withUTF8 { replies.take(UnsafeRawBufferPointer($0)) }
    }
    #expect(replies.hasAgreed == agrees)
  }

  @Test(
    arguments: [
      ("213 -5", nil), ("213 5 ", 5), ("213  5", 5), ("213 +5", nil), ("213 5 bytes", nil), ("213 ", nil),
      ("213 99999999999999999999", nil), ("550 5", nil), ("200 5", nil),
    ] as [(String, Int64?)])
  func sizesOfFTP(line: String, size: Int64?) {
    var replies = FTPReplies()
    for (line, isSent) in [("SIZE x\r\n", true), ("213 7\r\n", false), ("SIZE x\r\n", true), (line + "\r\n", false)] {
      var line = line
      line.withUTF8 {
        isSent ? replies.sent(UnsafeRawBufferPointer($0)) : replies.take(UnsafeRawBufferPointer($0))
      }
    }
    #expect(replies.size == (line.hasPrefix("213") ? size : 7))
  }

  @Test(
    arguments: [
      ("20240229235959", 1_709_251_199), ("20240102030405.678", 1_704_164_645), ("19700101000000", 0),
      ("20230229000000", nil), ("20241301000000", nil), ("20240100000000", nil), ("20240101240000", nil),
      ("2024010203040", nil), ("20240102030405x", nil), ("191240102030405", nil), ("-0240102030405", nil),
    ] as [(String, Int64?)])
  func datesOfFTP(text: String, date: Int64?) {
    var replies = FTPReplies()
    var (command, line) = ("MDTM x\r\n", "213 \(text)\r\n")
    command.withUTF8 { replies.sent(UnsafeRawBufferPointer($0)) }
    line.withUTF8 { replies.take(UnsafeRawBufferPointer($0)) }
    #expect(replies.lastModified == date)
  }

  @Test(
    arguments: [
      ("ftp://h/a/b", "b", false), ("ftp://h/a%2Fb", "b", false), ("ftp://h/", nil, false), ("ftp://h", nil, false),
      ("ftp://h/a/", nil, false), ("ftp://h/a%2f", nil, false), ("ftp://h/a;type=A", "a", true),
      ("ftp://h/a;type=i?x", "a", false), ("ftp://h/a?b/c", "a", false), ("ftp://h/%41%zz%4", "A%zz%4", false),
      ("ftp://u@h:21/a;b/c%3Btype=a", "c;type=a", false), ("ftp://h/a%0d%0aDELE%20x", nil, false), ("", nil, false),
    ] as [(String, String?, Bool)])
  func pathsOfFTP(url: String, file: String?, isText: Bool) {
    let path = FTPPath(url: url)
    #expect(path.file.map { String(decoding: $0, as: UTF8.self) } == file)
    #expect(path.isText == isText)
  }
}
