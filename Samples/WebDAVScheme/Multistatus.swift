import FoundationXML
import URLLoading

/// Reads the answer to `PROPFIND`, a `multistatus` document (RFC 4918, section 14.16).
///
/// Mutable state: all variables, used by one parser.
final class Multistatus: NSObject, XMLParserDelegate {
  /// The properties that are asked for.
  static let question = """
    <?xml version="1.0" encoding="utf-8"?>
    <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>
    """

  private static let namespace = "DAV:"
  private var resources: [WebDAVResource] = []
  private var current = WebDAVResource()
  private var text = ""
  private var isWhole = false

  /// The resources that a document names.
  /// - Throws: `URLError.cannotParseResponse` for what is no such document.
  static func resources(in document: Data, of url: URL) throws -> [WebDAVResource] {
    let reader = Multistatus()
    let parser = XMLParser(data: document)
    parser.shouldProcessNamespaces = true
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    // A part of a document is no listing, whatever the parser makes of it.
    guard parser.parse(), parser.parserError == nil, reader.isWhole else {
      throw URLError(
        .cannotParseResponse,
        message: "The server's listing is no whole multistatus document: \(url.path(percentEncoded: false)).", url: url,
        underlying: parser.parserError)
    }
    return reader.resources
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    text = ""
    guard namespaceURI == Self.namespace else { return }
    switch element {
    case "response": current = WebDAVResource()
    case "collection": current.isDirectory = true
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard namespaceURI == Self.namespace else { return }
    let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch element {
    case "href": current.path = URLComponents(string: value)?.percentEncodedPath ?? ""
    case "getcontentlength": current.size = Int64(value)
    case "getlastmodified": current.modificationDate = try? Date(value, strategy: Self.dates)
    case "response": if !current.path.isEmpty { resources.append(current) }
    case "multistatus": isWhole = true
    default: break
    }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
  private static let dates = Date.ParseStrategy(
    format: """
      \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
      \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
      """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
}
