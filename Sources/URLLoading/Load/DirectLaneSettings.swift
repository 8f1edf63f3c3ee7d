internal import URLLoadingBase

/// Whether loads of a session may go directly (``DirectLoad``). The environment turns that off, for tests of the whole way, and for whoever wants
/// to know what it costs: `URL_LOADING_DIRECT_LANE=off`.
struct DirectLaneSettings: URLProtocolSettings {
  private static let isOpenByDefault = ProcessEnvironment.value(of: "URL_LOADING_DIRECT_LANE") != "off"

  var isOpen = Self.isOpenByDefault
}
