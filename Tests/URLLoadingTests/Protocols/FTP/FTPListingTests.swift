import Foundation
import Testing
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// The reader of listings, without any server.
@Suite struct FTPListingTests {
  private static let now = CivilDate(year: 2026, month: 3, day: 10, hour: 12).date ?? Date()
  private let directory = URL(string: "ftp://h/d/") ?? URL(fileURLWithPath: "/")

  private func read(_ text: String, _ format: FTPListing.Format, piece: Int = .max) -> FTPListing.Piece {
    read(Array(text.utf8), format, piece: piece)
  }

  private func read(_ bytes: [UInt8], _ format: FTPListing.Format, piece: Int = .max) -> FTPListing.Piece {
    var listing = FTPListing(format, of: directory, now: Self.now)
    var all = FTPListing.Piece()
    var start = 0
    while start < bytes.count {
      let end = bytes.count - start > piece ? start + piece : bytes.count
      let new = bytes[start..<end].withUnsafeBytes { listing.receive($0) }
      all.entries += new.entries
      all.failureReason = all.failureReason ?? new.failureReason
      start = end
    }
    let last = listing.finish()
    all.entries += last.entries
    all.failureReason = all.failureReason ?? last.failureReason
    return all
  }

  /// `kind size date name` of the one entry of a line; nil where it is unreadable.
  private func line(_ text: String, _ format: FTPListing.Format = .text) -> String? {
    let piece = read(text + "\r\n", format)
    guard piece.failureReason == nil else { return nil }
    guard let entry = piece.entries.first else { return "nothing" }
    let date = entry.modificationDate.map { date in
      let civil = CivilDate(date)
      return "\(civil.year)-\(civil.month)-\(civil.day) \(civil.hour):\(civil.minute):\(civil.second)"
    }
    return "\(entry.kind.rawValue) \(entry.size.map { String($0) } ?? "-") \(date ?? "-") [\(entry.name)]"
  }

  // MARK: Lines and pieces

  @Test(arguments: [1, 2, 3, 7, 64, .max]) func piecesMayBeCutAnywhere(piece: Int) {
    let text = "type=file;size=1; a\r\ntype=dir; ü x\n\r\n\ntype=file;size=3; c\r\n"
    let result = read(text, .facts, piece: piece)
    #expect(result.failureReason == nil)
    #expect(result.entries.map(\.name) == ["a", "ü x", "c"])
    #expect(result.entries.map(\.url.absoluteString) == ["ftp://h/d/a", "ftp://h/d/%C3%BC%20x/", "ftp://h/d/c"])
  }

  @Test(arguments: [FTPListing.Format.facts, .text]) func theLastLineNeedsNoEnd(format: FTPListing.Format) {
    let line =
      switch format {
      case .facts: "type=file;size=1; "
      case .text: "-rw-r--r-- 1 me us 1 Mar  1 10:00 "
      }
    for piece in [1, Int.max] {
      let result = read("\(line)a\r\n\(line)b", format, piece: piece)
      #expect(result.entries.map(\.name) == ["a", "b"] && result.failureReason == nil)
    }
    // Nor is it taken for what it is not.
    let cut = read("type=file; a\r\ntype=fi", .facts)
    #expect(cut.entries.map(\.name) == ["a"] && cut.failureReason != nil)
  }

  @Test func aLineHasALimit() {
    let longest = FTPListing.longestLine - "type=file; ".utf8.count - 1
    for piece in [1000, Int.max] {
      let name = String(repeating: "x", count: longest)
      #expect(read("type=file; \(name)\r\n", .facts, piece: piece).entries.map(\.name) == [name])
      let result = read("type=file; a\r\ntype=file; \(name)xx\r\ntype=file; b\r\n", .facts, piece: piece)
      #expect(result.entries.map(\.name) == ["a"])
      #expect(result.failureReason?.contains("65536") == true)
    }
    #expect(read(Array(repeating: 0x78, count: 1 << 20), .text).failureReason != nil)
  }

  @Test func nothingIsReadAfterAFailure() {
    let result = read("type=file; a\r\n?????\r\ntype=file; b\r\n", .facts, piece: 5)
    #expect(result.entries.map(\.name) == ["a"])
    #expect(result.failureReason?.contains("\"?????\"") == true)
  }

  @Test func namesThatLeadElsewhereAreLeftOut() {
    let text = "type=file; ../x\r\ntype=dir; ..\r\ntype=dir; .\r\ntype=file; /etc/passwd\r\ntype=file; ok\r\n"
    #expect(read(text, .facts).entries.map(\.name) == ["ok"])
    let unix = ["..", ".", "a/b", "ok"].map { "-rw-r--r-- 1 u g 1 Jan  1  2020 \($0)\r\n" }.joined()
    #expect(read(unix, .text).entries.map(\.name) == ["ok"])
  }

  @Test func namesNeedNotBeUTF8() {
    let bytes = Array("type=file; ".utf8) + [0xE4, 0x2E, 0x74] + Array("\r\n".utf8)
    let entry = read(bytes, .facts).entries.first
    #expect(entry?.nameBytes == [0xE4, 0x2E, 0x74])
    #expect(entry?.url.absoluteString == "ftp://h/d/%E4.t")
  }

  @Test func garbageNeverCrashes() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array(" ;=:-.\r\n0123456789drwxltypesizemodifyJanFeb<DIR>+\0\u{FF}/".utf8) + [0xFF]
    let starts = ["type=file;", "-rw-r--r-- 1 u g ", "01-02-26  03:04PM ", "lrwxrwxrwx 1 a b 1 Jan 1 ", "total "]
    for _ in 0..<20_000 {
      var bytes = Array((starts.randomElement(using: &generator) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        bytes.append(alphabet.randomElement(using: &generator) ?? 0)
      }
      bytes += [0x0D, 0x0A]
      for format in [FTPListing.Format.facts, .text] {
        for entry in read(bytes, format).entries {
          #expect(entry.url.absoluteString.hasPrefix("ftp://h/d/") && !entry.nameBytes.contains(0x2F))
        }
      }
    }
  }

  // MARK: MLSD

  @Test(
    arguments: [
      ("type=file;size=12;modify=20260102030405; a b", "file 12 2026-1-2 3:4:5 [a b]"),
      ("Type=DIR;Modify=20260102030405.678;Perm=el; x", "directory - 2026-1-2 3:4:5 [x]"),
      ("type=dir;size=4096; x", "directory - - [x]"), ("type=cdir; x", "nothing"), ("type=pdir; ..", "nothing"),
      ("type=OS.unix=slink:/a b; c;size=3; l", "symbolicLink - - [c;size=3; l]"),
      ("type=OS.unix=symlink; l", "symbolicLink - - [l]"), ("type=OS.unix=chr-1/3; null", "other - - [null]"),
      (" bare", "unknown - - [bare]"), ("size=5; x", "unknown 5 - [x]"), ("type=file;;size=5; x; y", "file 5 - [x; y]"),
      ("type=file;size=99999999999999999999; x", "file - - [x]"), ("type=file;size=-1; x", "file - - [x]"),
      ("type=file;modify=20261302030405; x", "file - - [x]"), ("type=file;modify=2026; x", "file - - [x]"),
      ("type=file;  x", "file - - [ x]"),
    ])
  func facts(text: String, expected: String) {
    #expect(line(text, .facts) == expected)
  }

  @Test(arguments: [
    "x", "type=file;", "type=file; ", "type=file;x", "garbage; x", "-rw-r--r-- 1 u g 1 Jan 1 2020 a", " ",
  ])
  func noFacts(text: String) {
    #expect(line(text, .facts) == nil)
  }

  @Test func factsHaveFractionsOfSeconds() {
    let date = read("modify=20260102030405.25; a\r\n", .facts).entries.first?.modificationDate
    #expect(
      date == CivilDate(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5).date?.addingTimeInterval(0.25))
  }

  // MARK: LIST, as Unix writes it

  @Test(
    arguments: [
      ("-rw-r--r--   1 root     root         1024 Mar 10 11:06 small.txt", "file 1024 2026-3-10 11:6:0 [small.txt]"),
      ("drwxr-xr-x   2 root     root         4096 Nov 21 11:06 a folder", "directory - 2025-11-21 11:6:0 [a folder]"),
      ("-rw-r--r--   1 u g 5 Jan  2  2020 old", "file 5 2020-1-2 0:0:0 [old]"),
      ("-rw-r--r--   1 u g 5 Jan  2  2020  led by a space", "file 5 2020-1-2 0:0:0 [ led by a space]"),
      ("lrwxrwxrwx 1 u g 7 Mar  1 00:00 link -> /a -> b", "symbolicLink - 2026-3-1 0:0:0 [link]"),
      ("lrwxrwxrwx 1 u g 7 Mar  1 00:00 link", "symbolicLink - 2026-3-1 0:0:0 [link]"),
      ("-rw-r--r-- 1 u g 7 Mar  1 00:00 no -> link", "file 7 2026-3-1 0:0:0 [no -> link]"),
      ("crw-rw-rw- 1 root root 1, 3 Mar  1 00:00 null", "other - 2026-3-1 0:0:0 [null]"),
      ("-rw-r--r--+ 1 u g 7 Mar 1 00:00 rights", "file 7 2026-3-1 0:0:0 [rights]"),
      ("drwxrwxrwt. 1 u g 7 Mar 1 00:00 sticky", "directory - 2026-3-1 0:0:0 [sticky]"),
      ("-rw-r--r-- 1 u 7 Mar 1 00:00 nogroup", "file 7 2026-3-1 0:0:0 [nogroup]"),
      ("-rw-r--r-- 7 Mar 1 00:00 bare", "file 7 2026-3-1 0:0:0 [bare]"),
      ("-rw-r--r-- 1 Domain User Some Group 7 Mar 1 00:00 x", "file 7 2026-3-1 0:0:0 [x]"),
      ("-rw-r--r-- 1 u g 7 21 Nov 2020 day first", "file 7 2020-11-21 0:0:0 [day first]"),
      ("-rw-r--r-- 1 u g 7 2026-01-02 03:04 iso", "file 7 2026-1-2 3:4:0 [iso]"),
      ("-rw-r--r-- 1 u g 7 2026-01-02 03:04:05.123456789 +0130 full", "file 7 2026-1-2 1:34:5 [full]"),
      ("-rw-r--r-- 1 u g 7 2026-01-02 03:04 +0100", "file 7 2026-1-2 3:4:0 [+0100]"),
      // Tomorrow by the server's clock, and what cannot be this year's.
      ("-rw-r--r-- 1 u g 7 Mar 11 11:00 soon", "file 7 2026-3-11 11:0:0 [soon]"),
      ("-rw-r--r-- 1 u g 7 Mar 12 11:00 last year", "file 7 2025-3-12 11:0:0 [last year]"),
      ("-rw-r--r-- 1 u g 7 Feb 29 11:00 leap", "file 7 2024-2-29 11:0:0 [leap]"),
      ("-rw-r--r-- 1 u g 7 Feb 30 11:00 never", "file 7 - [never]"),
      ("-rw-r--r-- 1 u g 7 Mar 1 00:00 Jan 2 2020 x", "file 7 2026-3-1 0:0:0 [Jan 2 2020 x]"),
      ("total 12", "nothing"), ("insgesamt 0", "nothing"),
    ])
  func unix(text: String, expected: String) {
    #expect(line(text) == expected)
  }

  // MARK: LIST, as DOS writes it

  @Test(
    arguments: [
      ("01-02-26  03:04PM       <DIR>          a folder", "directory - 2026-1-2 15:4:0 [a folder]"),
      ("01-02-99  12:04AM                 1234 a b.txt", "file 1234 1999-1-2 0:4:0 [a b.txt]"),
      ("01-02-2026  15:04            1,234,567 big", "file 1234567 2026-1-2 15:4:0 [big]"),
      ("01-02-26  12:00PM       <JUNCTION>     there [C:\\x [y]]", "symbolicLink - 2026-1-2 12:0:0 [there]"),
      ("01-02-26  12:00PM       <SYMLINKD>     there [C:\\x]", "symbolicLink - 2026-1-2 12:0:0 [there]"),
      ("13-02-26  12:00PM                    1 odd", "file 1 - [odd]"),
    ])
  func dos(text: String, expected: String) {
    #expect(line(text) == expected)
  }

  @Test(
    arguments: [
      "hello", "-rw-r--r--", "-rw-r--r-- 1 u g 7 Mar 1 00:00", "-rw-r--r-- 1 u g x Mar 1 00:00 size",
      "?rw-r--r-- 1 u g 7 Mar 1 00:00 x", "-rw-r--r-- 1 u g 7 Foo 1 00:00 x", " -rw-r--r-- 1 u g 7 Mar 1 00:00 x",
      "-rw-r--r-- 1 u g 99999999999999999999 Mar 1 00:00 x", "01-02-26  03:04PM  <DIR>", "01-02-26  25:04  1 x",
      "01-02-26  03:04XM  1 x", "ls: cannot open directory: Permission denied",
      "+i8388621.48594,m825718503,r,s280,\tdjb.html", "LOGIN.COM;1  2/3  1-JAN-2020 10:00:00  [SYS]  (RWED,RWED,,)",
    ])
  func unreadable(text: String) {
    #expect(line(text) == nil, "\(line(text) ?? "")")
  }
}
