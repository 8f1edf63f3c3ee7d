import Foundation
import Testing

@testable import urlload

/// How options are read.
@Suite struct OptionTests {
  @Test func lettersAreJoinedAsForCurl() {
    #expect(ArgumentExpander(["-sSLo", "f", "u"]).expanded == ["-s", "-S", "-L", "-o", "f", "u"])
    #expect(ArgumentExpander(["-XPOST", "-ofile"]).expanded == ["-X", "POST", "-o", "file"])
    #expect(ArgumentExpander(["-d", "-a", "--data-binary=b"]).expanded == ["--data-part=d-a", "--data-part=bb"])
    #expect(ArgumentExpander(["--header", "-x: y"]).expanded == ["--header=-x: y"])
    #expect(
      ArgumentExpander(["-V", "-#", "-", "--", "-sS"]).expanded == ["--version", "--progress-bar", "-", "--", "-sS"])
    #expect(ArgumentExpander(["-o"]).expanded == ["-o"])
    #expect(ArgumentExpander(["--proxy", "", "u"]).expanded == ["--proxy", "", "u"])
    #expect(ArgumentExpander(["-K", "a", "--config=b"]).configurationFiles == ["a", "b"])
  }

  @Test func configurationFilesHaveOptions() throws {
    #expect(ConfigurationFile.arguments(ofLine: "silent") == ["--silent"])
    #expect(ConfigurationFile.arguments(ofLine: "user-agent = \"a \\\"b\\\"\\t\"") == ["--user-agent=a \"b\"\t"])
    #expect(ConfigurationFile.arguments(ofLine: "-o  f g") == ["-o", "f"])
    #expect(ConfigurationFile.arguments(ofLine: "url: https://h/") == ["--url=https://h/"])
    #expect(ConfigurationFile.arguments(ofLine: "header \"a") == nil)
  }

  @Test func dataIsPutTogether() throws {
    func body(_ arguments: String...) throws -> String {
      let parts = ArgumentExpander(arguments).expanded.compactMap {
        DataPart(String($0.dropFirst("--data-part=".count)))
      }
      return String(decoding: try DataPart.body(parts), as: UTF8.self)
    }
    #expect(try body("-d", "a=1", "--data-raw", "@b", "--data-urlencode", "c=ä &") == "a=1&@b&c=%C3%A4%20%26")
    #expect(try body("--data-urlencode", "=a=b", "--data-urlencode", "x y") == "a%3Db&x%20y")
    #expect(try body("--json", "{", "--json", "}") == "{}")
  }

  @Test func datesAreReadAsByCurl() {
    let texts = [
      "2026-01-31", "20260131", "31 Jan 2026", "Jan 31 2026", "Saturday, 31 January 2026 00:00", "2026-01-31T00:00:00Z",
      "2026-01-31 01:00:00 +0100", "2026-01-31T01:00+01:00", "30 Jan 2026 23:30 -0030", "Sat, 31 Jan 2026 00:00:00 GMT",
    ]
    for text in texts { #expect(DateText.date(text)?.timeIntervalSince1970 == 1_769_817_600, "\(text)") }
    for text in ["", "nonsense", "31 Jan", "2026", "2026-13-01", "2026-01-32", "2026-01-31 25:00", "file.txt"] {
      #expect(DateText.date(text) == nil, "\(text)")
    }
  }

  @Test func timeConditionsAreDatesOrFiles() throws {
    #expect(try TimeCondition("2026-01-31").header?.value == "Sat, 31 Jan 2026 00:00:00 GMT")
    #expect(try TimeCondition("2026-01-31").name == "If-Modified-Since")
    #expect(try TimeCondition("-2026-01-31").name == "If-Unmodified-Since")
    #expect(try TimeCondition("/").header != nil)
    #expect(try TimeCondition("/does/not/exist").header == nil)
    #expect(throws: Failure.self) { try TimeCondition("=2026-01-31") }
    for (text, isBefore, isAtIt, isAfter) in [("2026-01-31", false, false, true), ("-2026-01-31", true, true, false)] {
      let condition = try TimeCondition(text)
      let date = try #require(condition.date)
      #expect(condition.holds(forChangeAt: date - 1) == isBefore, "\(text)")
      #expect(condition.holds(forChangeAt: date) == isAtIt, "\(text)")
      #expect(condition.holds(forChangeAt: date + 1) == isAfter, "\(text)")
    }
  }

  @Test func patternsStandForURLs() throws {
    func texts(_ pattern: String) throws -> [String] { try URLGlob.members(of: pattern).map(\.text) }
    #expect(try texts("a[1-3]") == ["a1", "a2", "a3"])
    #expect(try texts("[08-10]") == ["08", "09", "10"])
    #expect(try texts("[a-e:2]") == ["a", "c", "e"])
    #expect(try texts("{x,y}[1-2]") == ["x1", "x2", "y1", "y2"])
    #expect(try texts("http://[::1]/\\{a\\}") == ["http://[::1]/{a}"])
    for wrong in ["[3-1]", "[0-200000]", "[9-1]", "[c-a]", "[0-99999999999999999999]"] {
      #expect(throws: Failure.self, "\(wrong)") { try URLGlob.members(of: wrong) }
    }
    for literal in ["[a-B]", "[1-]", "[1-9:0]", "{a", "[1", "a]b}"] {
      #expect(try texts(literal) == [literal])
    }
    #expect(throws: Failure.self) { try URLGlob.members(of: "[1-99999][1-9]") }
    #expect(try URLGlob.members(of: "{a/b,c}-[1-2]").map { URLGlob.name("#1_#2#3", $0.values) }.first == "a_b_1#3")
  }

  @Test func hostsNeedNoScheme() {
    #expect(HostText("example.org/a?b")?.urlText == "http://example.org/a?b")
    #expect(HostText("localhost:8080")?.urlText == "http://localhost:8080")
    #expect(HostText("ftp.example.org")?.urlText == "ftp://ftp.example.org")
    #expect(HostText("[::1]:80/x")?.urlText == "http://[::1]:80/x")
    #expect(HostText("me:pw@host:1/")?.urlText == "http://me:pw@host:1/")
    for text in ["http://host/", "word", "data:,a", "mailto:me@host.org", "a b.c", "", ".", "x:y"] {
      #expect(HostText(text) == nil, "\(text)")
    }
  }

  @Test func netrcFilesHaveLogins() {
    let netrc = Netrc(
      """
      machine a.org login me password "p \\"w"
      # nothing
      machine b.org login you
        password pw
      macdef init
      machine c.org login no

      default login any password thing
      """)
    #expect(netrc.login(for: "A.org") == LoadOptions.Login(user: "me", password: "p \"w"))
    #expect(netrc.login(for: "b.org", user: "you")?.password == "pw")
    #expect(netrc.login(for: "c.org") == LoadOptions.Login(user: "any", password: "thing"))
    #expect(Netrc("machine a.org login me").login(for: "x.org") == nil)
  }

  @Test func numbersAndAddresses() throws {
    #expect(try OptionReader.bytes("1.5k", of: "x") == 1536)
    #expect(try OptionReader.bytes("2M", of: "x") == 2 << 20)
    for text in ["", "k", "-1", "1x", "1e99", "10000000T", "inf", "nan"] {
      #expect(throws: Failure.self) { try OptionReader.bytes(text, of: "x") }
    }
    let (key, addresses) = try OptionReader.address("Host:443:[::1],127.0.0.1")
    #expect(key == "host:443" && addresses == ["::1", "127.0.0.1"])
    for text in ["host", "host:443", "host:x:1.2.3.4", "host:443:name"] {
      #expect(throws: Failure.self) { try OptionReader.address(text) }
    }
  }

  @Test func formFields() throws {
    #expect(try FormPart("a=b").content == .text("b"))
    let file = try FormPart("a=@x/y.txt;type=text/plain")
    #expect(file.content == .file("x/y.txt") && file.fileName == "y.txt" && file.type == "text/plain")
    #expect(try FormPart("a=<x").fileName == nil)
    #expect(try FormPart("a=@x", isLiteral: true).content == .text("@x"))
    #expect(throws: Failure.self) { try FormPart("=x") }
    let typed = try FormPart("a={};type=application/json")
    #expect(typed.content == .text("{}") && typed.type == "application/json")
    #expect(try FormPart("a=x;y=1;z").content == .text("x;y=1;z"))
    let quoted = try FormPart("a=@\"a;b.png\";filename=\"c;\\\"d\"")
    #expect(quoted.content == .file("a;b.png") && quoted.fileName == "c;\"d" && quoted.type == "image/png")
    #expect(try FormPart("a=@x;type=text/plain;charset=utf-8").type == "text/plain;charset=utf-8")
    #expect(try FormPart("a=@x").type == "application/octet-stream")
    let text = try FormPart("a=x;type=text/plain;charset=utf-8")
    #expect(text.content == .text("x") && text.type == "text/plain;charset=utf-8")
    for refused in ["a=x;headers=X: y", "a=@x;encoder=base64"] {
      #expect(throws: Failure.self) { try FormPart(refused) }
    }
    // Quotes inside are part of the value.
    #expect(try FormPart("a=5\" disk;type=text/plain").content == .text("5\" disk"))
    #expect(try FormPart("a=\"b\" and \"c\"").content == .text("\"b\" and \"c\""))
    #expect(try FormPart("a=\"b;type=c\"").content == .text("b;type=c"))
    #expect(try FormPart("a=\"").content == .text("\""))
  }

  @Test func blocksOfProgress() {
    func load(_ name: String, _ done: Int64, begun: Bool = true, ended: Bool = false, failed: Bool = false)
      -> LoadStatus.Snapshot
    {
      LoadStatus.Snapshot(
        name: name, done: done, total: 1000, hasBegun: begun, hasEnded: ended, hasFailed: failed)
    }
    let loads = [
      load("a", 1000, ended: true), load("b", 500), load("c", 10, ended: true, failed: true),
      load("d", 0, begun: false),
    ]
    var block = ProgressBlock(count: 4)
    let lines = block.lines(loads, at: 0, columns: 100, rows: 24)
    #expect(lines.count == 4 && lines[0].hasSuffix("100%") && lines[1].hasSuffix("50%"))
    #expect(lines[2].hasPrefix("c ") && lines[2].hasSuffix("failed after 10 B"))
    #expect(lines[3].hasPrefix("1 of 4 files, 1 failed  1.5 kB of 3.0 kB"))
    for (columns, rows) in [(59, 24), (100, 2), (20, 5)] {
      var block = ProgressBlock(count: 4)
      let lines = block.lines(loads, at: 0, columns: columns, rows: rows)
      #expect(lines.count == 1 && lines[0].count < columns)
    }
    // Where not all fit, those that are under way do.
    var short = ProgressBlock(count: 4)
    #expect(short.lines(loads, at: 0, columns: 100, rows: 5).count == 2)
  }
}
