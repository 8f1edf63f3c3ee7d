/// Why the cache answers a request as it does. The raw value is for machines, the description for people.
enum CacheReason: String, Sendable, CaseIterable, CustomStringConvertible {
  // Nothing stored answers.
  case nothingStored = "nothing-stored"
  case method = "method"
  case ownConditions = "own-conditions"
  case policyReloads = "policy-reloads"
  case notAllowed = "not-allowed"
  case varies = "varies"
  case otherPart = "other-part"
  case incomplete = "incomplete"

  // What is stored answers.
  case fresh = "fresh"
  case immutable = "immutable"
  case policyTakesAny = "policy-takes-any"
  case acceptedStale = "accepted-stale"
  case staleWhileRevalidate = "stale-while-revalidate"

  // The source is asked whether what is stored is right.
  case stale = "stale"
  case noCache = "no-cache"
  case requestNoCache = "request-no-cache"
  case requestMaxAge = "request-max-age"
  case requestMinFresh = "request-min-fresh"
  case policyRevalidates = "policy-revalidates"

  var description: String {
    switch self {
    case .nothingStored: "nothing is stored for the URL"
    case .method: "the method is neither GET nor HEAD"
    case .ownConditions: "the request has conditions of its own"
    case .policyReloads: "the request's policy ignores what is stored"
    case .notAllowed: "what is stored may not be used"
    case .varies: "what is stored answers other request fields"
    case .otherPart: "the bytes that are asked for are not stored"
    case .incomplete: "some of the bytes are stored"
    case .fresh: "it is fresh"
    case .immutable: "it is fresh, and does not change while it is"
    case .policyTakesAny: "the request's policy takes what is stored, whatever its age"
    case .acceptedStale: "it is stale, which the request accepts"
    case .staleWhileRevalidate: "it is stale, and may be used while it is validated"
    case .stale: "it is stale"
    case .noCache: "it has to be validated before each use"
    case .requestNoCache: "the request wants it validated"
    case .requestMaxAge: "it is older than the request accepts"
    case .requestMinFresh: "it is not fresh for as long as the request wants"
    case .policyRevalidates: "the request's policy wants it validated"
    }
  }
}
