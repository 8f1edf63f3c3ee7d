// Accepts connections on 127.0.0.1 and never says a word, until it is ended.
//
//   silent-server PORT
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count != 2) return 2;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1, events = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) return 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(events, EPOLL_CTL_ADD, listener, &event);
  static char dropped[65536];
  while (epoll_wait(events, &event, 1, -1) > 0) {
    int socket = event.data.fd;
    if (socket == listener) {
      int client = accept(listener, NULL, NULL);
      struct epoll_event watched = {.events = EPOLLIN, .data.fd = client};
      if (client >= 0) epoll_ctl(events, EPOLL_CTL_ADD, client, &watched);
    } else if (read(socket, dropped, sizeof dropped) <= 0) {
      close(socket);
    }
  }
  return 0;
}
