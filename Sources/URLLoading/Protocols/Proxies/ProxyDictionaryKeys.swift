// The keys of `URLSessionConfiguration.connectionProxyDictionary`, and the kinds of proxies that are values there, by
// CFNetwork's names. They are strings, where Apple's are CFString: `as String`, `as AnyHashable` and no cast are
// equivalent.

// MARK: Settings of the session

/// Whether the HTTP proxy is used: a number, 0 for no. A proxy that is given without this key is used.
public let kCFNetworkProxiesHTTPEnable = "HTTPEnable"
/// The host of the proxy for `http` URLs. One of the form `https://host` is spoken to over TLS, which is our addition.
public let kCFNetworkProxiesHTTPProxy = "HTTPProxy"
/// Its port; 80 unless set.
public let kCFNetworkProxiesHTTPPort = "HTTPPort"
/// Whether the HTTPS proxy is used, see ``kCFNetworkProxiesHTTPEnable``.
public let kCFNetworkProxiesHTTPSEnable = "HTTPSEnable"
/// The host of the proxy for `https` URLs, a proxy of HTTP that makes tunnels by CONNECT.
public let kCFNetworkProxiesHTTPSProxy = "HTTPSProxy"
/// Its port; 443 unless set.
public let kCFNetworkProxiesHTTPSPort = "HTTPSPort"
/// Whether the FTP proxy is used, see ``kCFNetworkProxiesHTTPEnable``.
public let kCFNetworkProxiesFTPEnable = "FTPEnable"
/// The host of the proxy for `ftp` and `ftps` URLs, a proxy of HTTP that makes tunnels by CONNECT.
public let kCFNetworkProxiesFTPProxy = "FTPProxy"
/// Its port; 80 unless set.
public let kCFNetworkProxiesFTPPort = "FTPPort"
/// Whether FTP transfers are passive. Without effect: they always are.
public let kCFNetworkProxiesFTPPassive = "FTPPassive"
/// Whether the SOCKS proxy is used, see ``kCFNetworkProxiesHTTPEnable``.
public let kCFNetworkProxiesSOCKSEnable = "SOCKSEnable"
/// The host of the SOCKS proxy, for URLs that have no proxy of their own scheme.
public let kCFNetworkProxiesSOCKSProxy = "SOCKSProxy"
/// Its port; 1080 unless set.
public let kCFNetworkProxiesSOCKSPort = "SOCKSPort"
/// Hosts that are reached directly, whatever else is set: an array of names (with all below them), patterns with `*`, addresses and ranges
/// in CIDR form.
public let kCFNetworkProxiesExceptionsList = "ExceptionsList"
/// Whether names without a dot are reached directly: a number.
public let kCFNetworkProxiesExcludeSimpleHostnames = "ExcludeSimpleHostnames"
/// Whether the script is asked: a number, 0 for no. A script that is given without this key is asked.
public let kCFNetworkProxiesProxyAutoConfigEnable = "ProxyAutoConfigEnable"
/// The URL of a proxy auto-config script (PAC), which takes precedence over all other proxies: `http`, `https`, `file`
/// or `data`.
public let kCFNetworkProxiesProxyAutoConfigURLString = "ProxyAutoConfigURLString"
/// The script itself, which goes before its URL.
public let kCFNetworkProxiesProxyAutoConfigJavaScript = "ProxyAutoConfigJavaScript"
/// Whether a script is looked for in the network (WPAD). Without effect.
public let kCFNetworkProxiesProxyAutoDiscoveryEnable = "ProxyAutoDiscoveryEnable"
/// Without effect, as are the host and the port: there is no Gopher.
public let kCFNetworkProxiesGopherEnable = "GopherEnable"
/// Without effect.
public let kCFNetworkProxiesGopherProxy = "GopherProxy"
/// Without effect.
public let kCFNetworkProxiesGopherPort = "GopherPort"
/// Without effect, as are the host and the port: there is no RTSP.
public let kCFNetworkProxiesRTSPEnable = "RTSPEnable"
/// Without effect.
public let kCFNetworkProxiesRTSPProxy = "RTSPProxy"
/// Without effect.
public let kCFNetworkProxiesRTSPPort = "RTSPPort"

// MARK: One proxy

/// The kind of the one proxy that a dictionary describes, such as ``kCFProxyTypeHTTP``.
public let kCFProxyTypeKey = "kCFProxyTypeKey"
/// The proxy's host.
public let kCFProxyHostNameKey = "kCFProxyHostNameKey"
/// The proxy's port.
public let kCFProxyPortNumberKey = "kCFProxyPortNumberKey"
/// The user's name, for the proxies of a dictionary that have none of their own.
public let kCFProxyUsernameKey = "kCFProxyUsernameKey"
/// The password that goes with ``kCFProxyUsernameKey``.
public let kCFProxyPasswordKey = "kCFProxyPasswordKey"
/// The URL of a script, for ``kCFProxyTypeAutoConfigurationURL``.
public let kCFProxyAutoConfigurationURLKey = "kCFProxyAutoConfigurationURLKey"
/// The text of a script, for ``kCFProxyTypeAutoConfigurationJavaScript``.
public let kCFProxyAutoConfigurationJavaScriptKey = "kCFProxyAutoConfigurationJavaScriptKey"
/// No proxy.
public let kCFProxyTypeNone = "kCFProxyTypeNone"
/// A proxy of HTTP, for URLs of every scheme.
public let kCFProxyTypeHTTP = "kCFProxyTypeHTTP"
/// A proxy of HTTP, for `https` URLs.
public let kCFProxyTypeHTTPS = "kCFProxyTypeHTTPS"
/// A proxy of HTTP, for `ftp` URLs.
public let kCFProxyTypeFTP = "kCFProxyTypeFTP"
/// A SOCKS proxy.
public let kCFProxyTypeSOCKS = "kCFProxyTypeSOCKS"
/// A script, by its URL.
public let kCFProxyTypeAutoConfigurationURL = "kCFProxyTypeAutoConfigurationURL"
/// A script, by its text.
public let kCFProxyTypeAutoConfigurationJavaScript = "kCFProxyTypeAutoConfigurationJavaScript"

// MARK: Streams

/// The host of the HTTP proxy.
public let kCFStreamPropertyHTTPProxyHost = "HTTPProxy"
/// The port of the HTTP proxy.
public let kCFStreamPropertyHTTPProxyPort = "HTTPPort"
/// The host of the HTTPS proxy.
public let kCFStreamPropertyHTTPSProxyHost = "HTTPSProxy"
/// The port of the HTTPS proxy.
public let kCFStreamPropertyHTTPSProxyPort = "HTTPSPort"
/// The host of the SOCKS proxy.
public let kCFStreamPropertySOCKSProxyHost = "SOCKSProxy"
/// The port of the SOCKS proxy.
public let kCFStreamPropertySOCKSProxyPort = "SOCKSPort"
/// The SOCKS proxy's version, ``kCFStreamSocketSOCKSVersion5`` unless set.
public let kCFStreamPropertySOCKSVersion = "kCFStreamPropertySOCKSVersion"
/// SOCKS 4; names are resolved by the proxy (4a).
public let kCFStreamSocketSOCKSVersion4 = "kCFStreamSocketSOCKSVersion4"
/// SOCKS 5, RFC 1928.
public let kCFStreamSocketSOCKSVersion5 = "kCFStreamSocketSOCKSVersion5"
/// The user's name for the SOCKS proxy.
public let kCFStreamPropertySOCKSUser = "kCFStreamPropertySOCKSUser"
/// The password for the SOCKS proxy.
public let kCFStreamPropertySOCKSPassword = "kCFStreamPropertySOCKSPassword"
