/// What a configuration of background sessions has beyond others.
struct BackgroundSettings: Sendable {
  var identifier: String
  var launch: URLSessionConfiguration.BackgroundLaunch?
  /// Where the service is looked for; nil for its usual place.
  var place: BackgroundServicePlace?
}
