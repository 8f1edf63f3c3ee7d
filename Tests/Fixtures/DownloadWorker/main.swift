import Foundation
import SFTPProtocol
import URLLoading

// A process that loads something, for tests that kill it, limit it or measure it. Its first argument says what it does.
URLProtocol.registerClass(SFTPProtocol.self)
let arguments = CommandLine.arguments
switch arguments.count > 1 ? arguments[1] : "" {
case "download": await DownloadCommand.run(url: arguments[2], target: arguments[3])
case "resume": await DownloadCommand.resume(file: arguments[2], target: arguments[3])
case "limited": await DownloadCommand.limited(url: arguments[2], bytes: arguments[3], small: arguments[4])
case "slow-data": SlowReader.run(url: arguments[2])
case "random-access": await RandomAccessCommand.readAll(url: arguments[2], piece: arguments[3])
case "limited-random-access": await RandomAccessCommand.limited(url: arguments[2], bytes: arguments[3])
case "unprivileged-file": await UnprivilegedCommand.run(url: arguments[2])
case "keep": await KeepCommand.run(url: arguments[2], folder: arguments[3], prefix: arguments[4])
case "cached": await CacheCommand.run(url: arguments[2], folder: arguments[3], count: arguments[4])
case "cached-downloads": await CacheCommand.downloads(url: arguments[2], folder: arguments[3], target: arguments[4])
case "limited-cache": await CacheCommand.limited(url: arguments[2], folder: arguments[3], bytes: arguments[4])
case "hsts":
  await HSTSCommand.run(url: arguments[2], noting: arguments[3], authority: arguments[4], name: arguments[5])
case "negotiate": await NegotiateCommand.run(url: arguments[2], proxy: arguments[3], authority: arguments[4])
case "silent-kdc":
  await SilentKDCCommand.run(login: arguments[2], other: arguments[3], file: arguments[4], count: arguments[5])
case "identity":
  await IdentityCommand.run(url: arguments[2], authority: arguments[3], uri: arguments[4], pin: arguments[5])
case "shortage": ShortageCommand.run(url: arguments[2], of: arguments[3])
case "info-plist": await InfoPlistCommand.run(url: arguments[2])
case "pac": await PACCommand.run(url: arguments[2])
default:
  say(
    "usage: DownloadWorker download|resume|limited|slow-data|random-access|limited-random-access|unprivileged-file|keep|"
      + "cached|cached-downloads|limited-cache|hsts|negotiate|silent-kdc|identity|shortage|info-plist|pac ..."
  )
  exit(64)
}
