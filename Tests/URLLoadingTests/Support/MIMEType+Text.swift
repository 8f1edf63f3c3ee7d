@testable import URLLoading

extension MIMEType: Equatable {
  init?(parsing text: String) {
    self.init(parsing: Array(text.utf8))
  }

  /// The whole type as text (WHATWG MIME Sniffing Standard, section 4.5): `text/html;charset=utf-8`. Values that are no tokens are
  /// quoted.
  var serialized: String {
    var text = essence
    for (name, value) in parameters {
      let escaped = value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
      let isToken = !value.isEmpty && value.utf8.allSatisfy(\.isTokenCharacter)
      text += ";\(name)=" + (isToken ? value : "\"" + String(escaped) + "\"")
    }
    return text
  }

  /// Whether both are the same text.
  public static func == (left: MIMEType, right: MIMEType) -> Bool { left.serialized == right.serialized }
}
