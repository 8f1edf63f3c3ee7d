import Glibc
import URLLoadingTestServers

/// The loopback interface of the process's own network, which it takes down and brings up (netdevice(7)).
///
/// A new network has it down, without an address.
struct Loopback: Sendable {
  /// `struct ifreq`: a name of 16 bytes, then the value.
  private static let requestSize = 40
  private static let valueOffset = 16

  /// - Throws: where the interface is up: then this is the machine's.
  init() throws {
    guard try flags() & Int16(IFF_UP) == 0 else {
      throw TestServerError("lo is up: this is no network of the process's own")
    }
  }

  func comeUp() throws { try set(flags() | Int16(IFF_UP)) }

  /// Takes the interface and its addresses away: there is no route left.
  func goDown() throws {
    try call(UInt(SIOCSIFADDR)) { value in
      // 0.0.0.0
      value.storeBytes(of: UInt16(AF_INET), as: UInt16.self)
    }
    try set(flags() & ~Int16(IFF_UP))
  }

  /// Starts servers, which need the interface, and takes it down again.
  func serving<Servers>(_ start: () async throws -> Servers) async throws -> Servers {
    try comeUp()
    let servers = try await start()
    try goDown()
    return servers
  }

  private func flags() throws -> Int16 {
    try call(UInt(SIOCGIFFLAGS)) { _ in }
  }

  private func set(_ flags: Int16) throws {
    try call(UInt(SIOCSIFFLAGS)) { $0.storeBytes(of: flags, as: Int16.self) }
  }

  /// - Returns: the first two bytes of the value afterwards.
  @discardableResult
  private func call(_ number: UInt, _ prepare: (UnsafeMutableRawPointer) -> Void) throws -> Int16 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestServerError.system("socket") }
    defer { close(descriptor) }
    let request = UnsafeMutableRawPointer.allocate(byteCount: Self.requestSize, alignment: 8)
    defer { request.deallocate() }
    request.initializeMemory(as: UInt8.self, repeating: 0, count: Self.requestSize)
    request.copyMemory(from: "lo", byteCount: 2)
    let value = request + Self.valueOffset
    prepare(value)
    guard ioctl(descriptor, number, request) == 0 else { throw TestServerError.system("ioctl \(number) of lo") }
    return value.load(as: Int16.self)
  }
}
