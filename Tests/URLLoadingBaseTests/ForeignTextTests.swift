import Testing
import URLLoadingBase

/// Text of others in lines of terminals, logs and messages.
@Suite struct ForeignTextTests {
  @Test func whatIsReadableStays() {
    let persian = "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}"
    let emoji = "\u{1F468}\u{200D}\u{1F4BB} \u{2764}\u{FE0F}"
    for text in ["", "/opt/plug-ins/größe 1.so", "undefined symbol: _ZN1aEv", "e\u{301}", persian, emoji] {
      for blank: Unicode.Scalar? in [nil, " "] {
        #expect(
          ForeignText.line(text, blank: blank).unicodeScalars.elementsEqual(text.unicodeScalars), "\(text)")
      }
    }
  }

  @Test func nothingLeavesTheLine() {
    #expect(ForeignText.line("a\nb") == "a\u{FFFD}b")
    // One character, of two scalars.
    #expect(ForeignText.line("a\r\nb") == "a\u{FFFD}\u{FFFD}b")
    #expect(ForeignText.line("\u{1B}[2J\u{9B}2J\u{7F}\0\t") == "\u{FFFD}[2J\u{FFFD}2J\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(ForeignText.line("a\u{85}b\u{2028}c\u{2029}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
  }

  /// The order of writing, and what nobody sees.
  @Test(arguments: ["\u{202E}", "\u{2066}", "\u{200F}", "\u{61C}", "\u{FEFF}", "\u{200B}", "\u{AD}", "\u{E0041}"])
  func marksAreSeen(mark: String) {
    #expect(ForeignText.line("a\(mark)os.b") == "a\u{FFFD}os.b")
    #expect(ForeignText.line("a\(mark)os.b", blank: " ", substitute: "?") == "a?os.b")
    #expect(ForeignText.line("a\(mark)os.b", blank: " ", substitute: nil) == "aos.b")
  }

  @Test func endsOfLinesMayBeBlanks() {
    #expect(ForeignText.line("a\nb\tc\u{2028}d\u{85}e", blank: " ", substitute: "?") == "a b c d e")
    #expect(ForeignText.line("a\r\nb\r\rc\n\nd\n\re", blank: " ") == "a b  c  d  e")
    #expect(ForeignText.line("\u{1B}[31ma\nb", blank: " ", substitute: "?") == "?[31ma b")
    #expect(ForeignText.line("\u{1B}[31ma\nb", blank: " ", substitute: nil) == "[31ma b")
  }

  @Test func aCharacterMayBeAsLongAsAText() {
    let text = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(ForeignText.line(text, limit: 1000).unicodeScalars.count == 1000)
    #expect(ForeignText.line(text).unicodeScalars.count == 10_001)
  }
}
