import URLLoading

/// `error.type`: a word of few, for what a load or a request ended with.
package enum ErrorType {
  /// For a status of failure, which is its number; nil for another.
  package static func name(of status: Int?) -> String? { status.flatMap { $0 >= 400 ? String($0) : nil } }

  /// The name of the code of a `URLError`, such as `timedOut`; the domain and the code of another error, or its type.
  package static func name(of error: any Error) -> String {
    guard error is URLError || type(of: error) is NSError.Type else { return String(reflecting: type(of: error)) }
    let error = error as NSError
    let name = error.domain == NSURLErrorDomain ? URLError.Code(rawValue: error.code).flatMap { names[$0] } : nil
    return name ?? "\(error.domain) \(error.code)"
  }

  private static let names: [URLError.Code: String] = [
    .appTransportSecurityRequiresSecureConnection: "appTransportSecurityRequiresSecureConnection",
    .badServerResponse: "badServerResponse", .badURL: "badURL", .callIsActive: "callIsActive",
    .cancelled: "cancelled", .cannotCloseFile: "cannotCloseFile", .cannotConnectToHost: "cannotConnectToHost",
    .cannotCreateFile: "cannotCreateFile", .cannotDecodeContentData: "cannotDecodeContentData",
    .cannotDecodeRawData: "cannotDecodeRawData", .cannotFindHost: "cannotFindHost",
    .cannotLoadFromNetwork: "cannotLoadFromNetwork", .cannotMoveFile: "cannotMoveFile",
    .cannotOpenFile: "cannotOpenFile", .cannotParseResponse: "cannotParseResponse",
    .cannotRemoveFile: "cannotRemoveFile", .cannotWriteToFile: "cannotWriteToFile",
    .clientCertificateRejected: "clientCertificateRejected",
    .clientCertificateRequired: "clientCertificateRequired", .dataLengthExceedsMaximum: "dataLengthExceedsMaximum",
    .dataNotAllowed: "dataNotAllowed", .dnsLookupFailed: "dnsLookupFailed",
    .downloadDecodingFailedMidStream: "downloadDecodingFailedMidStream",
    .downloadDecodingFailedToComplete: "downloadDecodingFailedToComplete", .fileDoesNotExist: "fileDoesNotExist",
    .fileIsDirectory: "fileIsDirectory", .httpTooManyRedirects: "httpTooManyRedirects",
    .internationalRoamingOff: "internationalRoamingOff", .networkConnectionLost: "networkConnectionLost",
    .noPermissionsToReadFile: "noPermissionsToReadFile", .notConnectedToInternet: "notConnectedToInternet",
    .redirectToNonExistentLocation: "redirectToNonExistentLocation",
    .requestBodyStreamExhausted: "requestBodyStreamExhausted", .resourceUnavailable: "resourceUnavailable",
    .secureConnectionFailed: "secureConnectionFailed",
    .serverCertificateHasBadDate: "serverCertificateHasBadDate",
    .serverCertificateHasUnknownRoot: "serverCertificateHasUnknownRoot",
    .serverCertificateNotYetValid: "serverCertificateNotYetValid",
    .serverCertificateUntrusted: "serverCertificateUntrusted", .timedOut: "timedOut", .unknown: "unknown",
    .unsupportedURL: "unsupportedURL", .userAuthenticationRequired: "userAuthenticationRequired",
    .userCancelledAuthentication: "userCancelledAuthentication", .zeroByteResource: "zeroByteResource",
  ]
}
