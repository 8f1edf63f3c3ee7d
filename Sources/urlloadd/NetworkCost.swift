import Foundation
internal import URLLoadingBase

/// Whether the network costs by the byte, as NetworkManager says on the system's bus; never where nobody answers there.
///
/// libsystemd is opened at run time: the service runs without it.
struct NetworkCost: Equatable, Sendable {
  var isMetered = false

  /// Seconds between two checks, unless a service's options set another interval.
  static let interval = 60.0

  /// Asks NetworkManager, which may take a few seconds.
  static func current() -> NetworkCost {
    NetworkCost(isMetered: SystemBus()?.metered.map { $0 == 1 || $0 == 3 } ?? false)
  }
}

/// A connection to the system's bus, for one question.
private struct SystemBus {
  // The functions of sd-bus that are used (sd-bus(3)).
  private typealias Open = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias SetTimeout = @convention(c) (OpaquePointer, UInt64) -> Int32
  private typealias GetProperty =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>,
      OpaquePointer?, CChar, UnsafeMutableRawPointer
    ) -> Int32
  private typealias Close = @convention(c) (OpaquePointer) -> OpaquePointer?

  private let open: Open
  private let setTimeout: SetTimeout
  private let getProperty: GetProperty
  private let close: Close

  /// Nil where the library is not there.
  init?() {
    guard let library = SystemLibrary.open("libsystemd.so.0"),
      let open = dlsym(library, "sd_bus_open_system"),
      let setTimeout = dlsym(library, "sd_bus_set_method_call_timeout"),
      let getProperty = dlsym(library, "sd_bus_get_property_trivial"),
      let close = dlsym(library, "sd_bus_flush_close_unref")
    else { return nil }
    self.open = unsafeBitCast(open, to: Open.self)
    self.setTimeout = unsafeBitCast(setTimeout, to: SetTimeout.self)
    self.getProperty = unsafeBitCast(getProperty, to: GetProperty.self)
    self.close = unsafeBitCast(close, to: Close.self)
  }

  /// NetworkManager's property `Metered` (NMMetered: 1 yes, 2 no, 3 and 4 the same as a guess); nil where nobody answers.
  var metered: UInt32? {
    var bus: OpaquePointer?
    guard open(&bus) >= 0, let bus else { return nil }
    defer { _ = close(bus) }
    _ = setTimeout(bus, 3_000_000)
    var value: UInt32 = 0
    let name = "org.freedesktop.NetworkManager"
    let result = getProperty(
      bus, name, "/org/freedesktop/NetworkManager", name, "Metered", nil, CChar(UInt8(ascii: "u")), &value)
    return result >= 0 ? value : nil
  }
}
