/// The characters of the IBM PC: the default for names (APPNOTE 4.4.17 and appendix D).
enum CodePage437 {
  /// The characters 128 to 255.
  private static let upperHalf = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}").unicodeScalars)

  /// The same text in UTF-8.
  static func utf8(_ text: some Collection<UInt8>) -> [UInt8] {
    var scalars = String.UnicodeScalarView()
    for byte in text { scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
    return Array(String(scalars).utf8)
  }
}
