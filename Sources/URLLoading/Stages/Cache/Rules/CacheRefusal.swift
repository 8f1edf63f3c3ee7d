/// Why a response is not stored. The raw value is for machines, the description for people.
enum CacheRefusal: String, Sendable, CaseIterable, CustomStringConvertible {
  case method = "method"
  case status = "status"
  case part = "part"
  case requestNoStore = "request-no-store"
  case noStore = "no-store"
  case isPrivate = "private"
  case authorization = "authorization"
  case setCookie = "set-cookie"
  case varies = "varies"
  case notCacheable = "not-cacheable"

  var description: String {
    switch self {
    case .method: "the method is not GET"
    case .status: "the status is not for a cache"
    case .part: "it is a part that could not be used"
    case .requestNoStore: "the request forbids it"
    case .noStore: "the response forbids it"
    case .isPrivate: "the response is for one user, and the cache is shared"
    case .authorization: "the request has credentials, and the response does not allow a shared cache to keep it"
    case .setCookie: "the response sets cookies, and the cache is shared"
    case .varies: "no other request could get it"
    case .notCacheable: "neither its status nor its fields allow it"
    }
  }
}

/// Whether a response is stored.
enum CacheStorage: Sendable, Equatable {
  /// The head to store. Its body's length is for who stores the body.
  case store(StoredHead)
  /// Nothing is stored. What ``CacheRules/superseded(by:to:among:)`` names goes all the same.
  case refuse(CacheRefusal)
}
