import Foundation

@testable import URLLoading

/// A value of a configuration's property that is not its default.
struct ConfigurationSample {
  let set: (URLSessionConfiguration) -> Void
  let isSet: (URLSessionConfiguration) -> Bool

  init(set: @escaping (URLSessionConfiguration) -> Void, isSet: @escaping (URLSessionConfiguration) -> Bool) {
    (self.set, self.isSet) = (set, isSet)
  }

  init<Value: Equatable>(_ property: ReferenceWritableKeyPath<URLSessionConfiguration, Value>, _ value: Value) {
    self.init(set: { $0[keyPath: property] = value }, isSet: { $0[keyPath: property] == value })
  }

  /// One of each property, by its name.
  static var all: [String: ConfigurationSample] {
    [
      "allowsCellularAccess": ConfigurationSample(\.allowsCellularAccess, false),
      "allowsConstrainedNetworkAccess": ConfigurationSample(\.allowsConstrainedNetworkAccess, false),
      "allowsExpensiveNetworkAccess": ConfigurationSample(\.allowsExpensiveNetworkAccess, false),
      "appTransportSecurity": ConfigurationSample(
        set: { $0.appTransportSecurity = AppTransportSecurity(["NSAllowsLocalNetworking": true]) },
        isSet: { $0.appTransportSecurity.map { $0.error == nil } ?? false }),
      "asksAboutConnections": ConfigurationSample(\.asksAboutConnections, false),
      "certificateAuthorityFile": ConfigurationSample(\.certificateAuthorityFile, URL(fileURLWithPath: "/a.pem")),
      "connectionProxyDictionary": ConfigurationSample(
        set: { $0.connectionProxyDictionary = [kCFNetworkProxiesHTTPProxy: "proxy.example"] },
        isSet: { $0.connectionProxyDictionary?[kCFNetworkProxiesHTTPProxy] as? String == "proxy.example" }),
      "downloadDirectory": ConfigurationSample(
        set: { $0.change { $0.downloadDirectory = "/nowhere" } }, isSet: { $0.snapshot.downloadDirectory == "/nowhere" }
      ),
      "enablesEarlyData": ConfigurationSample(\.enablesEarlyData, true),
      "httpAdditionalHeaders": ConfigurationSample(
        set: { $0.httpAdditionalHeaders = ["X-Field": "a"] },
        isSet: { $0.httpAdditionalHeaders?["X-Field"] as? String == "a" }),
      "httpCookieAcceptPolicy": ConfigurationSample(\.httpCookieAcceptPolicy, .never),
      "httpCookieStorage": ConfigurationSample(\.httpCookieStorage, nil),
      "httpMaximumConnectionsPerHost": ConfigurationSample(\.httpMaximumConnectionsPerHost, 3),
      "httpShouldSetCookies": ConfigurationSample(\.httpShouldSetCookies, false),
      "httpShouldUsePipelining": ConfigurationSample(\.httpShouldUsePipelining, true),
      "isDiscretionary": ConfigurationSample(\.isDiscretionary, true),
      "maximumBufferedBytesPerTask": ConfigurationSample(\.maximumBufferedBytesPerTask, 4096),
      "multipathServiceType": ConfigurationSample(\.multipathServiceType, .aggregate),
      "networkServiceType": ConfigurationSample(\.networkServiceType, .voice),
      "protocolClasses": ConfigurationSample(
        set: { $0.protocolClasses = [URLProtocol.self] }, isSet: { $0.protocolClasses?.count == 1 }),
      "requestCachePolicy": ConfigurationSample(\.requestCachePolicy, .returnCacheDataElseLoad),
      "requiresDNSSECValidation": ConfigurationSample(\.requiresDNSSECValidation, true),
      "retryPolicy": ConfigurationSample(
        set: {
          var policy = URLSessionConfiguration.RetryPolicy()
          policy.maximumRetries = 7
          $0.retryPolicy = policy
        }, isSet: { $0.retryPolicy?.maximumRetries == 7 }),
      "sessionEventListener": ConfigurationSample(
        set: { $0.sessionEventListener = EventRecorder() }, isSet: { $0.sessionEventListener is EventRecorder }),
      // A configuration of background sessions says true.
      "sessionSendsLaunchEvents": ConfigurationSample(\.sessionSendsLaunchEvents, false),
      "sharedContainerIdentifier": ConfigurationSample(\.sharedContainerIdentifier, "group"),
      "shouldUseExtendedBackgroundIdleMode": ConfigurationSample(\.shouldUseExtendedBackgroundIdleMode, true),
      "timeoutIntervalForRequest": ConfigurationSample(\.timeoutIntervalForRequest, 5),
      "timeoutIntervalForResource": ConfigurationSample(\.timeoutIntervalForResource, 7),
      "tlsMaximumSupportedProtocolVersion": ConfigurationSample(\.tlsMaximumSupportedProtocolVersion, .TLSv12),
      "tlsMinimumSupportedProtocolVersion": ConfigurationSample(\.tlsMinimumSupportedProtocolVersion, .TLSv13),
      "urlCache": ConfigurationSample(\.urlCache, URLCache(memoryCapacity: 1, diskCapacity: 0)),
      "urlCredentialStorage": ConfigurationSample(\.urlCredentialStorage, nil),
      "usesClassicLoadingMode": ConfigurationSample(\.usesClassicLoadingMode, false),
      // As above.
      "waitsForConnectivity": ConfigurationSample(\.waitsForConnectivity, false),
    ]
  }
}
