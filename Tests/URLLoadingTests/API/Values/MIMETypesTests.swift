import Testing

@testable import URLLoading

@Suite struct MIMETypesTests {
  @Test(arguments: [
    ("index.html", "text/html"), ("/a.b/INDEX.HTM", "text/html"), ("archive.tar.gz", "application/gzip"),
    ("main.swift", "text/plain"), ("a.json", "application/json"), ("x.svg", "image/svg+xml"),
    ("song.mp3", "audio/mpeg"), ("film.mp4", "video/mp4"), ("f.woff2", "font/woff2"),
    ("r.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
  ])
  func known(name: String, type: String) {
    #expect(MIMETypes.type(forFileName: name) == type)
  }

  @Test(arguments: ["", "README", ".html", "/a.html/README", "x.", "x.unknownextension", "a.html/", "x.\0html", "."])
  func unknown(name: String) {
    #expect(MIMETypes.type(forFileName: name) == nil)
  }

  @Test func tableIsWellFormed() {
    #expect(MIMETypes.table.count >= 250)
    for (name, type) in MIMETypes.table {
      #expect(name == name.lowercased() && !name.contains("."))
      #expect(MIMEType(parsing: type)?.serialized == type)
    }
  }
}
