import HTTPTypes
import URLLoading

extension URLSessionTask {
  /// The request that the task was made with; nil where `URLRequest.httpRequest` is.
  public var originalHTTPRequest: HTTPRequest? { originalRequest?.httpRequest }

  /// The request that is being loaded: after redirects another than the original one; with the session's additional headers and
  /// cookies.
  public var currentHTTPRequest: HTTPRequest? { currentRequest?.httpRequest }

  /// The response, once there is one; nil where it is not one of HTTP.
  public var httpResponse: HTTPResponse? { (response as? HTTPURLResponse)?.httpResponse }
}
