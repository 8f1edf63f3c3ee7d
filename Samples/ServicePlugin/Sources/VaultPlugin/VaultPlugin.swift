import URLLoading

/// What the transfer service calls when it has loaded this library.
@_cdecl("url_loading_plugin_register")
public func registerVaultPlugin() { URLProtocol.registerClass(VaultProtocol.self) }
