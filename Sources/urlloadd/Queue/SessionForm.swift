import Foundation
import URLLoading

/// A session in the queue's file, as JSON: its description, and beside the parts of that the environments of its tasks. An earlier version
/// reads the description alone. No password of a proxy is written.
struct SessionForm: Codable, Equatable {
  private enum Key: String, CodingKey { case environments }

  let description: BackgroundSessionDescription
  let environments: TaskEnvironments

  init(description: BackgroundSessionDescription, environments: TaskEnvironments) {
    self.description = description
    self.environments = environments
  }

  func encode(to encoder: any Encoder) throws {
    var description = description
    description.proxies = description.proxies.map { LoadEnvironment.withoutPasswords($0) }
    try description.encode(to: encoder)
    guard !environments.isEmpty else { return }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(environments.withoutPasswords, forKey: .environments)
  }

  init(from decoder: any Decoder) throws {
    description = try BackgroundSessionDescription(from: decoder)
    let container = try decoder.container(keyedBy: Key.self)
    environments = try container.decodeIfPresent(TaskEnvironments.self, forKey: .environments) ?? TaskEnvironments()
  }
}
