import Foundation

/// The usual spelling of the usual fields, those of IANA's registry that occur and the known ones outside of it.
///
/// HTTP/2 sends all names in lower case (RFC 9113 8.2), and servers write others in any case. Code that looks
/// `"Content-Type"` up in a dictionary works with all of them only if the spelling is put right.
package enum CanonicalFieldNames {
  /// The usual spelling of a name, whatever its case; a name that is not known as it is.
  package static func spelling(of name: String) -> String {
    if usual.contains(name) { return name }
    return spellings[name.lowercased()] ?? name
  }

  private static let spellings = Dictionary(
    usual.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  private static let usual: Set<String> = [
    "A-IM", "Accept", "Accept-CH", "Accept-Charset", "Accept-Datetime", "Accept-Encoding", "Accept-Language",
    "Accept-Patch", "Accept-Post", "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
    "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
    "Access-Control-Max-Age", "Access-Control-Request-Headers", "Access-Control-Request-Method", "Age", "Allow",
    "Alt-Svc", "Alt-Used", "Authentication-Info", "Authorization", "CDN-Cache-Control", "CF-Cache-Status", "CF-RAY",
    "Cache-Control", "Cache-Status", "Clear-Site-Data", "Connection", "Content-DPR", "Content-Digest",
    "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-MD5",
    "Content-Range", "Content-Security-Policy", "Content-Security-Policy-Report-Only", "Content-Type", "Cookie",
    "Critical-CH", "Cross-Origin-Embedder-Policy", "Cross-Origin-Embedder-Policy-Report-Only",
    "Cross-Origin-Opener-Policy", "Cross-Origin-Opener-Policy-Report-Only", "Cross-Origin-Resource-Policy", "DAV",
    "DNT", "DPR", "Date", "Delta-Base", "Depth", "Deprecation", "Destination", "Device-Memory", "Digest", "Downlink",
    "ECT", "ETag", "Early-Data", "Expect", "Expect-CT", "Expires", "Forwarded", "From", "HTTP2-Settings", "Host", "IM",
    "If", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive",
    "Last-Event-ID", "Last-Modified", "Link", "Location", "Lock-Token", "MIME-Version", "Max-Forwards",
    "Memento-Datetime", "NEL", "Negotiate", "Origin", "Origin-Agent-Cluster", "Overwrite", "P3P", "Permissions-Policy",
    "Ping-From", "Ping-To", "Pragma", "Prefer", "Preference-Applied", "Priority", "Proxy-Authenticate",
    "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection", "Proxy-Status", "Public-Key-Pins",
    "Public-Key-Pins-Report-Only", "RTT", "Range", "RateLimit", "RateLimit-Limit", "RateLimit-Policy",
    "RateLimit-Remaining", "RateLimit-Reset", "Referer", "Referrer-Policy", "Refresh", "Report-To",
    "Reporting-Endpoints", "Repr-Digest", "Retry-After", "SOAPAction", "Save-Data", "Sec-CH-UA", "Sec-CH-UA-Mobile",
    "Sec-CH-UA-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-GPC",
    "Sec-Purpose", "Sec-WebSocket-Accept", "Sec-WebSocket-Extensions", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol",
    "Sec-WebSocket-Version", "Server", "Server-Timing", "Service-Worker-Allowed", "Set-Cookie", "Set-Cookie2",
    "Signature", "Signature-Input", "SourceMap", "Status", "Strict-Transport-Security", "Sunset",
    "Supports-Loading-Mode",
    "Surrogate-Capability", "Surrogate-Control", "TCN", "TE", "Timing-Allow-Origin", "Tk", "Trailer",
    "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests", "User-Agent", "Vary", "Via", "Viewport-Width",
    "WWW-Authenticate", "Want-Content-Digest", "Want-Digest", "Want-Repr-Digest", "Warning", "Width", "X-Amz-Cf-Id",
    "X-Amz-Cf-Pop", "X-Cache", "X-Cache-Hits", "X-Content-Duration", "X-Content-Security-Policy",
    "X-Content-Type-Options", "X-Correlation-ID", "X-DNS-Prefetch-Control", "X-Download-Options", "X-Forwarded-For",
    "X-Forwarded-Host", "X-Forwarded-Proto", "X-Frame-Options", "X-Permitted-Cross-Domain-Policies", "X-Powered-By",
    "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Real-IP", "X-Redirect-By", "X-Request-ID",
    "X-Robots-Tag", "X-Runtime", "X-Served-By", "X-Timer", "X-UA-Compatible", "X-WebKit-CSP", "X-XSS-Protection",
  ]
}
