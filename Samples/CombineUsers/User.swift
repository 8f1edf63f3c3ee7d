/// What the server has about a user.
struct User: Codable {
  let name: String
  let userID: String
}
