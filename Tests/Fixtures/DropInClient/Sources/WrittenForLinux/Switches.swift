import Foundation
import FoundationNetworking

// Switches over what FoundationNetworking declares, without a default: no case may be beyond its own.

extension URLRequest.NetworkServiceType {
  var word: String {
    switch self {
    case .background: "background"
    case .default: "default"
    case .networkServiceTypeCallSignaling: "signalling"
    case .video: "video"
    case .voice: "voice"
    case .voip: "voip"
    }
  }
}

extension URLRequest.CachePolicy {
  var word: String {
    switch self {
    case .useProtocolCachePolicy: "protocol"
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: "reload"
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: "cache"
    }
  }
}

extension URLSession.AuthChallengeDisposition {
  var word: String {
    switch self {
    case .useCredential: "use"
    case .performDefaultHandling: "default"
    case .cancelAuthenticationChallenge: "cancel"
    case .rejectProtectionSpace: "reject"
    }
  }
}

extension URLSession.DelayedRequestDisposition {
  var word: String {
    switch self {
    case .continueLoading: "continue"
    case .useNewRequest: "new"
    case .cancel: "cancel"
    }
  }
}

extension HTTPCookie.AcceptPolicy {
  var word: String {
    switch self {
    case .always: "always"
    case .never: "never"
    case .onlyFromMainDocumentDomain: "main"
    }
  }
}

extension URLCache.StoragePolicy {
  var word: String {
    switch self {
    case .allowed: "allowed"
    case .allowedInMemoryOnly: "memory"
    case .notAllowed: "not"
    }
  }
}

extension URLCredential.Persistence {
  var word: String {
    switch self {
    case .none: "none"
    case .forSession: "session"
    case .permanent: "permanent"
    case .synchronizable: "synchronizable"
    }
  }
}

extension URLSessionTask.State {
  var word: String {
    switch self {
    case .running: "running"
    case .suspended: "suspended"
    case .canceling: "canceling"
    case .completed: "completed"
    }
  }
}

extension URLSessionTaskMetrics.ResourceFetchType {
  var word: String {
    switch self {
    case .unknown: "unknown"
    case .networkLoad: "network"
    case .serverPush: "push"
    case .localCache: "cache"
    }
  }
}

extension URLSessionTaskMetrics.DomainResolutionProtocol {
  var word: String {
    switch self {
    case .unknown: "unknown"
    case .udp: "udp"
    case .tcp: "tcp"
    case .tls: "tls"
    case .https: "https"
    }
  }
}

extension URLSessionWebSocketTask.Message {
  var word: String {
    switch self {
    case .data: "data"
    case .string: "string"
    }
  }
}

extension tls_protocol_version_t {
  var word: String {
    switch self {
    case .TLSv10, .TLSv11, .TLSv12, .TLSv13: "TLS"
    case .DTLSv10, .DTLSv12: "DTLS"
    }
  }
}
