/// What a configuration of background sessions has beyond others.
struct BackgroundSettings: Sendable {
  var identifier: String
  var launch: URLSessionConfiguration.BackgroundLaunch?
}
