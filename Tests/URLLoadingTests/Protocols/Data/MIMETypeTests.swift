import Testing

@testable import URLLoading

@Suite struct MIMETypeTests {
  @Test(arguments: [
    ("text/html", "text/html"),
    ("TEXT/HTML;CHARSET=GBK", "text/html;charset=GBK"),
    (" \t\r\ntext/html \t\r\n", "text/html"),
    ("text/html \t;charset=gbk", "text/html;charset=gbk"),
    ("text/html; \tcharset=gbk \t", "text/html;charset=gbk"),
    ("text/html;charset=gbk;charset=windows-1255", "text/html;charset=gbk"),
    ("text/html;charset=()", "text/html;charset=\"()\""),
    ("text/html;charset =gbk", "text/html"),
    ("text/html;charset= gbk", "text/html;charset=\" gbk\""),
    ("text/html;charset= \"gbk\"", "text/html;charset=\" \\\"gbk\\\"\""),
    ("text/html;charset=\"gbk\"", "text/html;charset=gbk"),
    ("text/html;charset=\"gbk", "text/html;charset=gbk"),
    ("text/html;charset=\"\\g\\b\\k\"", "text/html;charset=gbk"),
    ("text/html;charset=\"gbk\"x", "text/html;charset=gbk"),
    ("text/html;charset=\"\";charset=GBK", "text/html;charset=\"\""),
    ("text/html;charset=\";charset=foo\";charset=GBK", "text/html;charset=\";charset=foo\""),
    ("text/html;charset=';charset=gbk", "text/html;charset='"),
    ("text/html;charset=\"\\\"", "text/html;charset=\"\\\"\""),
    ("text/html;charset=;charset=GBK", "text/html;charset=GBK"),
    ("text/html;;;;charset=gbk", "text/html;charset=gbk"),
    ("text/html;test;charset=gbk", "text/html;charset=gbk"),
    ("text/html;=x;charset=gbk", "text/html;charset=gbk"),
    ("x/x;\0=x;bonus=x", "x/x;bonus=x"),
    ("x/x;a=\u{7F};b=x", "x/x;b=x"),
    ("!#$%&'*+-.^_`|~0Aa/!#$%&'*+-.^_`|~0Aa", "!#$%&'*+-.^_`|~0aa/!#$%&'*+-.^_`|~0aa"),
  ])
  func valid(input: String, output: String) {
    #expect(MIMEType(parsing: input)?.serialized == output)
  }

  @Test(arguments: [
    "", "\t", "/", "bogus", "bogus/", "bogus/ ", "bogus/bogus/;", "/bogus", "</>", "(/)", "ÿ/ÿ",
    "text/html(;doesnot=matter",
    "text /html", "text/ html", "{/}", "\u{B}text/html", "text/html,",
  ])
  func invalid(input: String) {
    #expect(MIMEType(parsing: input) == nil)
  }
}
