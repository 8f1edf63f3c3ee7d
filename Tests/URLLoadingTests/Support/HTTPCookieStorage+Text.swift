import Foundation
import URLLoadingBase

@testable import URLLoading

/// What loads do with a storage, in texts.
extension HTTPCookieStorage {
  func cookieHeader(for url: URL, mainDocumentURL: URL? = nil, partition: String? = nil) -> String? {
    cookieField(for: url, mainDocumentURL: mainDocumentURL, partition: partition)?.text
  }

  func store(
    setCookieValues values: [String], from url: URL, mainDocumentURL: URL? = nil,
    policy: HTTPCookie.AcceptPolicy = .always, partition: String? = nil
  ) {
    store(
      setCookies: values.map { OctetText($0) }, from: url, mainDocumentURL: mainDocumentURL, policy: policy,
      partition: partition)
  }
}
