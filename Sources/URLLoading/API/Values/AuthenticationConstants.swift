/// The scheme of a protection space on an HTTP server.
public let NSURLProtectionSpaceHTTP = "http"
/// The scheme of a protection space on an HTTPS server.
public let NSURLProtectionSpaceHTTPS = "https"
/// The scheme of a protection space on an FTP server.
public let NSURLProtectionSpaceFTP = "ftp"
/// The type of an HTTP proxy.
public let NSURLProtectionSpaceHTTPProxy = "http"
/// The type of an HTTPS proxy.
public let NSURLProtectionSpaceHTTPSProxy = "https"
/// The type of an FTP proxy.
public let NSURLProtectionSpaceFTPProxy = "ftp"
/// The type of a SOCKS proxy.
public let NSURLProtectionSpaceSOCKSProxy = "SOCKS"

/// The protocol's default method.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// Basic, RFC 7617.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// Digest, RFC 7616.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// A form in a page; no protocol uses it.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// The certificate of a client: answered by `URLCredential(identity:certificates:persistence:)`.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// Whether a server is to be trusted: answered by `URLCredential(trust:)`.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// Negotiate, RFC 4559.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
