import Foundation
import URLLoadingTestServers

/// Documents and servers for what no real server does.
enum ScriptedDAV {
  static let head = #"<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">"#
  static let end = "</D:multistatus>"

  static func response(_ reference: String, _ properties: String = "<D:resourcetype/>") -> String {
    """
    <D:response><D:href>\(reference)</D:href><D:propstat><D:prop>\(properties)</D:prop>\
    <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
    """
  }

  static func directory(_ reference: String) -> String {
    response(reference, "<D:resourcetype><D:collection/></D:resourcetype>")
  }

  /// A whole document about `/d/`.
  static func listing(_ responses: String...) -> String { head + directory("/d/") + responses.joined() + end }

  static func answer(_ text: String, status: Int = 207, type: String = "application/xml; charset=utf-8") -> HTTPResponse
  {
    HTTPResponse(status, fields: ["Content-Type": type], text: text)
  }

  /// Answers each request by its method; those that are not named with 501.
  static func server(_ answers: [String: HTTPResponse]) throws -> ScriptedServer {
    try .http { answers[$0.method] ?? HTTPResponse(501) }
  }
}
