import Testing

@testable import urlloadd

/// Text of others in lines of the log.
@Suite struct ForeignTextTests {
  @Test func whatIsReadableStays() {
    for text in ["", "/opt/plug-ins/größe 1.so", "undefined symbol: _ZN1aEv", "e\u{301}"] {
      #expect(ForeignText.line(text).unicodeScalars.elementsEqual(text.unicodeScalars), "\(text)")
    }
  }

  @Test func nothingLeavesTheLine() {
    #expect(ForeignText.line("a\nb") == "a\u{FFFD}b")
    // One character, of two scalars.
    #expect(ForeignText.line("a\r\nb") == "a\u{FFFD}\u{FFFD}b")
    #expect(ForeignText.line("\u{1B}[2J\u{9B}2J\u{7F}\0\t") == "\u{FFFD}[2J\u{FFFD}2J\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(ForeignText.line("a\u{85}b\u{2028}c\u{2029}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
    // The order of writing.
    #expect(ForeignText.line("a\u{202E}os.b") == "a\u{FFFD}os.b")
  }

  @Test func aCharacterMayBeAsLongAsAText() {
    let text = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(ForeignText.line(text, limit: 1000).unicodeScalars.count == 1000)
    #expect(ForeignText.line(text).unicodeScalars.count == 10_001)
  }
}
