/// Whether the network costs by the byte, as NetworkManager says it.
struct NetworkCost {
  var isMetered = false
}
