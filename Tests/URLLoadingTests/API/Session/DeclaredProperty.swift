@testable import URLLoading

/// A property of a configuration as it is declared there.
struct DeclaredProperty {
  let name: String
  let reach: any SessionReach.Type

  /// Those of all configurations, and the names of what beside them is no property.
  static var all: (properties: [DeclaredProperty], others: [String]) {
    var (properties, others): ([DeclaredProperty], [String]) = ([], [])
    let parts: [Any] = [URLSessionConfiguration.Values(), URLSessionConfiguration.Dictionaries()]
    for part in parts.flatMap({ Mirror(reflecting: $0).children }) {
      // A wrapper has the name of its property, with an underscore.
      let name = String((part.label ?? "").trimmingPrefix("_"))
      if let property = part.value as? any HasReach {
        properties.append(DeclaredProperty(name: name, reach: type(of: property).reach))
      } else {
        others.append(name)
      }
    }
    return (properties, others)
  }

  func reaches(_ reaches: any SessionReach.Type...) -> Bool { reaches.contains { $0 == reach } }
}

private protocol HasReach {
  static var reach: any SessionReach.Type { get }
}

extension SessionProperty: HasReach {
  fileprivate static var reach: any SessionReach.Type { Reach.self }
}
