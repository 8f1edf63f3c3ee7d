import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingHTTPSemantics

@Suite struct ContentSnifferTests {
  @Test(arguments: [
    ("", "text/plain"), ("hello\n", "text/plain"), ("\u{1B}[1mcolour", "text/plain"),
    ("<!doctype html>", "text/html"), (" \n\t<HTML >", "text/html"), ("<p>", "text/html"), ("<!-- x", "text/html"),
    ("<b x", "text/html"), ("<bx>", "text/plain"), ("<b", "text/plain"), ("<!doctype htmlx", "text/plain"),
    ("<?xml version", "text/xml"), ("\n<?xml", "text/xml"), ("<?XML", "text/plain"),
    ("%PDF-1.7", "application/pdf"), (" %PDF-1.7", "text/plain"), ("%!PS-Adobe-3.0", "application/postscript"),
    ("GIF89a", "image/gif"), ("GIF88a", "text/plain"), ("BMx", "image/bmp"), ("RIFF1234WEBPVP8 ", "image/webp"),
    ("RIFF1234WAVEfmt ", "audio/wave"), ("RIFF1234AVI LIST", "video/avi"), ("FORM1234AIFF", "audio/aiff"),
    ("ID3\u{3}", "audio/mpeg"), ("OggS\0", "application/ogg"), ("MThd\0\0\0\u{6}", "audio/midi"),
    ("wOFFx", "font/woff"), ("wOF2x", "font/woff2"), ("OTTO\0", "font/otf"), ("ttcf", "font/collection"),
    ("PK\u{3}\u{4}\u{14}", "application/zip"), ("\0asm\u{1}", "application/wasm"),
    ("a\0b", "application/octet-stream"), ("\u{1}", "application/octet-stream"),
  ])
  func ascii(content: String, type: String) {
    #expect(ContentSniffer.mimeType(of: Array(content.utf8)) == type)
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
      ([0, 0, 1, 0], "image/x-icon"), ([0, 1, 0, 0], "font/ttf"), ([0x1F, 0x8B, 0x08, 0], "application/x-gzip"),
      ([0xFE, 0xFF, 0, 0], "text/plain"), ([0xFF, 0xFE, 0, 0], "text/plain"), ([0xEF, 0xBB, 0xBF, 0], "text/plain"),
      ([0xFE, 0xFF, 0], "application/octet-stream"),
      ([0x52, 0x61, 0x72, 0x21, 0x1A, 7, 0], "application/x-rar-compressed"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "application/x-xz"), ([0x28, 0xB5, 0x2F, 0xFD], "application/zstd"),
    ] as [([UInt8], String)])
  func binary(content: [UInt8], type: String) {
    #expect(ContentSniffer.mimeType(of: content) == type)
  }

  @Test func mp4() {
    let box: [UInt8] = [0, 0, 0, 20] + Array("ftypisom".utf8) + [0, 0, 2, 0] + Array("mp42".utf8)
    #expect(ContentSniffer.mimeType(of: box) == "video/mp4")
    #expect(ContentSniffer.mimeType(of: box.dropLast(1)) == "application/octet-stream")
    let major: [UInt8] = [0, 0, 0, 12] + Array("ftypmp41".utf8)
    #expect(ContentSniffer.mimeType(of: major) == "video/mp4")
    let tiny: [UInt8] = [0, 0, 0, 0] + Array("ftypmp41".utf8)
    #expect(ContentSniffer.mimeType(of: tiny) == "application/octet-stream")
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFC] + Array("ftypmp41".utf8)
    #expect(ContentSniffer.mimeType(of: huge) == "text/plain")
  }

  @Test func webM() {
    let header: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x84] + Array("webm".utf8)
    #expect(ContentSniffer.mimeType(of: header) == "video/webm")
    #expect(ContentSniffer.mimeType(of: Array(header.dropLast(1))) != "video/webm")
    #expect(ContentSniffer.mimeType(of: Array(header.prefix(12))) != "video/webm")
    #expect(ContentSniffer.mimeType(of: Array(header.prefix(11))) != "video/webm")
  }

  @Test func mp3WithoutTags() {
    // MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame.
    var bytes = [UInt8](repeating: 0, count: 421)
    bytes.replaceSubrange(0..<4, with: [0xFF, 0xFB, 0x90, 0x00])
    #expect(ContentSniffer.mimeType(of: bytes) == "application/octet-stream")
    bytes.replaceSubrange(417..<421, with: [0xFF, 0xFB, 0x90, 0x00])
    #expect(ContentSniffer.mimeType(of: bytes) == "audio/mpeg")
  }

  @Test func onlyThePrefixMatters() {
    let text = [UInt8](repeating: 0x61, count: ContentSniffer.prefixLength)
    #expect(ContentSniffer.mimeType(of: text + [0]) == "text/plain")
    #expect(ContentSniffer.mimeType(of: text.dropLast() + [0]) == "application/octet-stream")
  }

  @Test func byteOrderMarks() {
    #expect(ContentSniffer.textEncoding(of: [0xEF, 0xBB, 0xBF]) == "utf-8")
    #expect(ContentSniffer.textEncoding(of: [0xFE, 0xFF]) == "utf-16be")
    #expect(ContentSniffer.textEncoding(of: [0xFF, 0xFE, 0x61]) == "utf-16le")
    #expect(ContentSniffer.textEncoding(of: [0xEF, 0xBB]) == nil)
  }

  @Test func noiseNeverTraps() {
    var random = SeededGenerator(seed: 5)
    let starts: [[UInt8]] = [
      [], [0x1A, 0x45, 0xDF, 0xA3], [0x1A, 0x45, 0xDF, 0xA3, 0x42, 0x82], [0xFF, 0xFB], [0xFF, 0xF3, 0x10],
      [0, 0, 0, 32] + Array("ftyp".utf8), Array(" <".utf8), Array("RIFF".utf8),
    ]
    for _ in 0..<20_000 {
      let start = starts.randomElement(using: &random) ?? []
      let rest = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(ContentType(ContentSniffer.mimeType(of: start + rest)) != nil)
    }
  }
}
