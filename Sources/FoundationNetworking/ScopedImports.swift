// What is declared here can be imported by itself, as in `import class FoundationNetworking.URLSession`. What is only re-exported cannot:
// Foundation comes along, and has unavailable stand-ins of the same names. For everything else these are the types of `URLLoading`.

/// `URLLoading.CachedURLResponse`.
public typealias CachedURLResponse = URLLoading.CachedURLResponse
/// `URLLoading.HTTPCookie`.
public typealias HTTPCookie = URLLoading.HTTPCookie
/// `URLLoading.HTTPCookiePropertyKey`.
public typealias HTTPCookiePropertyKey = URLLoading.HTTPCookiePropertyKey
/// `URLLoading.HTTPCookieStorage`.
public typealias HTTPCookieStorage = URLLoading.HTTPCookieStorage
/// `URLLoading.HTTPURLResponse`.
public typealias HTTPURLResponse = URLLoading.HTTPURLResponse
/// `URLLoading.NSMutableURLRequest`.
public typealias NSMutableURLRequest = URLLoading.NSMutableURLRequest
/// `URLLoading.NSURLRequest`.
public typealias NSURLRequest = URLLoading.NSURLRequest
/// `URLLoading.tls_ciphersuite_t`.
public typealias tls_ciphersuite_t = URLLoading.tls_ciphersuite_t
/// `URLLoading.tls_protocol_version_t`.
public typealias tls_protocol_version_t = URLLoading.tls_protocol_version_t
/// `URLLoading.URLAuthenticationChallenge`.
public typealias URLAuthenticationChallenge = URLLoading.URLAuthenticationChallenge
/// `URLLoading.URLAuthenticationChallengeSender`.
public typealias URLAuthenticationChallengeSender = URLLoading.URLAuthenticationChallengeSender
/// `URLLoading.URLCache`.
public typealias URLCache = URLLoading.URLCache
/// `URLLoading.URLCredential`.
public typealias URLCredential = URLLoading.URLCredential
/// `URLLoading.URLCredentialStorage`.
public typealias URLCredentialStorage = URLLoading.URLCredentialStorage
/// `URLLoading.URLProtectionSpace`.
public typealias URLProtectionSpace = URLLoading.URLProtectionSpace
/// `URLLoading.URLProtocol`.
public typealias URLProtocol = URLLoading.URLProtocol
/// `URLLoading.URLProtocolClient`.
public typealias URLProtocolClient = URLLoading.URLProtocolClient
/// `URLLoading.URLRequest`.
public typealias URLRequest = URLLoading.URLRequest
/// `URLLoading.URLResponse`.
public typealias URLResponse = URLLoading.URLResponse
/// `URLLoading.URLSession`.
public typealias URLSession = URLLoading.URLSession
/// `URLLoading.URLSessionConfiguration`.
public typealias URLSessionConfiguration = URLLoading.URLSessionConfiguration
/// `URLLoading.URLSessionDataDelegate`.
public typealias URLSessionDataDelegate = URLLoading.URLSessionDataDelegate
/// `URLLoading.URLSessionDataTask`.
public typealias URLSessionDataTask = URLLoading.URLSessionDataTask
/// `URLLoading.URLSessionDelegate`.
public typealias URLSessionDelegate = URLLoading.URLSessionDelegate
/// `URLLoading.URLSessionDownloadDelegate`.
public typealias URLSessionDownloadDelegate = URLLoading.URLSessionDownloadDelegate
/// `URLLoading.URLSessionDownloadTask`.
public typealias URLSessionDownloadTask = URLLoading.URLSessionDownloadTask
/// `URLLoading.URLSessionTask`.
public typealias URLSessionTask = URLLoading.URLSessionTask
/// `URLLoading.URLSessionTaskDelegate`.
public typealias URLSessionTaskDelegate = URLLoading.URLSessionTaskDelegate
/// `URLLoading.URLSessionTaskMetrics`.
public typealias URLSessionTaskMetrics = URLLoading.URLSessionTaskMetrics
/// `URLLoading.URLSessionTaskTransactionMetrics`.
public typealias URLSessionTaskTransactionMetrics = URLLoading.URLSessionTaskTransactionMetrics
/// `URLLoading.URLSessionUploadTask`.
public typealias URLSessionUploadTask = URLLoading.URLSessionUploadTask
