import ArchiveProtocol
import URLLoading
internal import URLLoadingBase

/// Reads the values of options.
enum OptionReader {
  /// A URL with a scheme, or a member of an archive in any spelling, `x.zip!/a` for one in a local file included.
  static func url(_ text: String) throws(Failure) -> URL {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    let host = HostText(text)
    if HostText.isPath(text)
      || !text.contains("!/") && !text.contains(":") && host == nil && access(text, F_OK) == 0
    {
      let url = URL(fileURLWithPath: text).absoluteString
      throw Failure(
        .badURL, "this is a local path, not a URL", SafeText.url(text), advice: "write \(SafeText.url(url))")
    }
    // A host's fragment may have !/ in it as well: #!/route.
    let archive = text.firstRange(of: "!/").map { String(text[..<$0.lowerBound]) } ?? ""
    let isOfHost = archive.contains("#") && host != nil && access(archive, F_OK) != 0
    if !isOfHost, let member = URL(archiveShorthand: text, relativeTo: here) { return member }
    if let scheme = text.split(separator: ":").first?.lowercased(),
      ArchiveProtocol.capabilities.schemes.contains(scheme)
    {
      do { return try URL(archiveString: text) } catch {
        throw Failure(.badURL, "this names no member of an archive", SafeText.url(text), advice: error.description)
      }
    }
    if let host { return try url(host.urlText) }
    guard let url = URL(string: text), url.scheme != nil else {
      throw Failure(
        .badURL, "this is no URL with a scheme", SafeText.url(text),
        advice: Self.isWord(text) ? "write http://\(text)/ if it is a host" : "write scheme://host/path")
    }
    return url
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  /// `Name: value`, `Name:` to take the field away, or `Name;` for one without a value. Failures do not contain the value, because it may
  /// be secret.
  static func header(_ text: String) throws(Failure) -> LoadOptions.Header {
    if !text.contains(":"), text.hasSuffix(";"), isToken(String(text.dropLast())) {
      return LoadOptions.Header(name: String(text.dropLast()), value: "")
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map { String($0) } ?? ""
    guard parts.count == 2 else {
      throw Failure(.usage, "a header field needs a colon", advice: "write it as -H 'Name: value'")
    }
    let shown = "\"\(SafeText.escaped(String(name.prefix(100))))\""
    guard isToken(name) else {
      throw Failure(
        .usage, "this is no name of a header field", shown,
        advice: "a name is letters, digits and hyphens, as in -H 'Name: value'")
    }
    guard !text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
      throw Failure(
        .usage, "the value of a header field has a line end", shown, advice: "write it on one line, as -H 'Name: value'"
      )
    }
    let value = parts[1].trimmingCharacters(in: .whitespaces)
    return LoadOptions.Header(name: name, value: value.isEmpty ? nil : value)
  }

  /// A method.
  static func method(_ text: String) throws(Failure) -> String {
    guard isToken(text) else {
      throw Failure(
        .usage, "this is no method", "\"\(SafeText.escaped(String(text.prefix(100))))\"",
        advice: "write one word, as in -X DELETE")
    }
    return text
  }

  /// A token (RFC 9110, section 5.6.2), as names of fields and methods are.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter)
  }

  /// `0-99`, `100-` or `-100`.
  static func range(_ text: String) throws(Failure) -> ByteRange {
    guard let range = ByteRange(fieldValue: "bytes=\(text)") else {
      throw Failure(
        .usage, "this is no range of bytes", text, advice: "write FIRST-LAST, FIRST- or -LENGTH, counted from 0")
    }
    return range
  }

  /// `user:password`, or `user`.
  static func login(_ text: String) -> LoadOptions.Login {
    guard let colon = text.firstIndex(of: ":") else { return LoadOptions.Login(user: text) }
    return LoadOptions.Login(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
  }

  /// The file of an archive of all loads, made anew.
  static func archive(_ path: String) throws(Failure) -> HTTPArchiveWriter {
    do { return try HTTPArchiveWriter(file: URL(fileURLWithPath: path)) } catch { throw Failure(archiving: error) }
  }

  /// A file to upload; `-` is standard input. A pipe or device is sent as it comes.
  static func upload(_ path: String) throws(Failure) -> LoadOptions.Body {
    if path == "-" { return .stream(.standardInput) }
    guard access(path, R_OK) == 0 else { throw Failure(reading: path, errno) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure(reading: path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw Failure(reading: path, EISDIR)
    case S_IFREG: return .file(path)
    default: return .stream(.path(path))
    }
  }
}
