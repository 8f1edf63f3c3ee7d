import Glibc
internal import URLLoadingBase

/// Whether libproxy can know of any settings: opening it takes a millisecond and 2 MB, a fifth of what a program takes to its first load.
///
/// Its modules look where a desktop or a sandbox is, and into one file (the `test` functions of `config_gnome3` and `config_kde` of libproxy
/// 0.4; `config-gnome`, `config-kde`, `config-sysconfig` and `config-xdp` of 0.5). Where none of that is there, its answer is `direct://`.
/// The exceptions are a module that a distribution has added, and a PacRunner daemon, with which 0.4 could be built.
struct DesktopSettings {
  /// What the modules ask the environment for; those of libproxy itself begin with `PX_`.
  private static let variables = [
    "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "SNAP_NAME",
    "PX_FORCE_CONFIG", "PX_MODULE_PATH", "PX_GSETTINGS",
  ]

  /// The value of an environment variable.
  var variable: (String) -> String? = ProcessEnvironment.value(of:)
  var fileExists: (String) -> Bool = { access($0, F_OK) == 0 }

  var mayExist: Bool {
    if Self.variables.contains(where: { variable($0) != nil }) { return true }
    let files = ["/etc/sysconfig/proxy", "/.flatpak-info"]
    return files.contains(where: fileExists)
      || fileExists("\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())")/flatpak-info")
  }
}
