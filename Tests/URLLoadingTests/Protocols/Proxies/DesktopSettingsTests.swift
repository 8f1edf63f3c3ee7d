import Glibc
import Testing

@testable import URLLoading

@Suite struct DesktopSettingsTests {
  private func mayExist(_ variables: [String: String] = [:], files: Set<String> = []) -> Bool {
    DesktopSettings(variable: { variables[$0] }, fileExists: files.contains).mayExist
  }

  @Test func aServerHasNone() {
    #expect(!mayExist())
    #expect(
      !mayExist(["DISPLAY": ":0", "XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/root"], files: ["/run/user/7/bus"]))
  }

  @Test(arguments: [
    "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "KDE_FULL_SESSION", "GNOME_DESKTOP_SESSION_ID", "SNAP_NAME",
    "PX_FORCE_CONFIG",
  ])
  func aVariableOfItsModules(_ name: String) { #expect(mayExist([name: "anything"])) }

  @Test func aFileOfItsModules() {
    #expect(mayExist(files: ["/etc/sysconfig/proxy"]))
    #expect(mayExist(files: ["/.flatpak-info"]))
    #expect(mayExist(["XDG_RUNTIME_DIR": "/run/mine"], files: ["/run/mine/flatpak-info"]))
    #expect(mayExist(files: ["/run/user/\(geteuid())/flatpak-info"]))
  }

  /// What is not opened is not asked either: loads do not wait for its threads.
  @Test func whereNoneCanBeTheLibraryIsNotOpened() {
    let system = SystemProxies(isAbsent: true) {
      Issue.record("opened")
      return nil
    }
    #expect(system.isAbsent)
    system.open()
  }
}
