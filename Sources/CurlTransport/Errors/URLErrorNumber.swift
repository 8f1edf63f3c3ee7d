/// The numbers of `URLError.Code`, by its names. (This module does without the type.)
enum URLErrorNumber {
  static let unknown = -1
  static let cancelled = -999
  static let badURL = -1000
  static let timedOut = -1001
  static let unsupportedURL = -1002
  static let cannotFindHost = -1003
  static let cannotConnectToHost = -1004
  static let networkConnectionLost = -1005
  static let dnsLookupFailed = -1006
  static let httpTooManyRedirects = -1007
  static let resourceUnavailable = -1008
  static let notConnectedToInternet = -1009
  static let badServerResponse = -1011
  static let userAuthenticationRequired = -1013
  static let cannotDecodeRawData = -1015
  static let cannotDecodeContentData = -1016
  static let cannotParseResponse = -1017
  static let requestBodyStreamExhausted = -1021
  static let fileDoesNotExist = -1100
  static let fileIsDirectory = -1101
  static let noPermissionsToReadFile = -1102
  static let dataLengthExceedsMaximum = -1103
  static let secureConnectionFailed = -1200
  static let serverCertificateHasBadDate = -1201
  static let serverCertificateUntrusted = -1202
  static let serverCertificateHasUnknownRoot = -1203
  static let serverCertificateNotYetValid = -1204
  static let clientCertificateRejected = -1205
  static let clientCertificateRequired = -1206
  static let cannotWriteToFile = -3003
}
