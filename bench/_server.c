/*
 * A chat endpoint fast enough to measure clients with: one thread, epoll, keep-alive, an answer of about
 * 3.6 KB. Usage: server PORT LATENCY_MS; PORT 0 picks one, which is printed. GET /stats gives the number of
 * requests and how many came in the busiest second.
 *
 * A request that holds the marks "sound-answer-NUMBER" and "flawed-answer-NUMBER" is judged: the reply prefers
 * the sound answer, or the other one where NUMBER ends in 0, 1 or 2, by [[A]] or [[B]], or by a score from 0 to
 * 10 in JSON where the request asks for a "score". Every other request gets [[A>B]].
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 65536
#define BUFFER (256 * 1024)

struct connection {
  char *in;
  size_t used;
};
/* Answers that wait for their time: all wait equally long, so they leave in the order they came. */
struct answer {
  char bytes[8192];
  size_t length;
};
struct waiting {
  int fd;
  double due;
  struct answer *answer;
};

static struct connection table[CONNECTIONS];
static struct waiting queue[1 << 20];
static unsigned long head, tail;
static struct answer fixed, first, second_one, high, low;
static double latency;
static long requests, in_second, busiest, second;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void send_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) continue;
    if (sent <= 0) return;
    bytes += sent;
    length -= sent;
  }
}

/* Verdict is the end of the reply's text, or of its JSON, as it stands inside a JSON string. */
static void make_answer(struct answer *answer, const char *start, const char *verdict) {
  char text[4096], body[6000];
  size_t n = sprintf(text, "%s", start);
  while (n < 3300) n += sprintf(text + n, "The first answer is the more careful of the two. ");
  sprintf(text + n, "%s", verdict);
  int length = sprintf(body,
    "{\"id\":\"x\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
    "\"content\":\"%s\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1500,\"completion_tokens\":800,\"total_tokens\":2300}}", text);
  answer->length = sprintf(answer->bytes, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", length, body);
}

static void make_answers(void) {
  make_answer(&fixed, "", "[[A>B]]");
  make_answer(&first, "", "[[A]]");
  make_answer(&second_one, "", "[[B]]");
  make_answer(&high, "{\\\"reason\\\": \\\"", "\\\", \\\"score\\\": 10}");
  make_answer(&low, "{\\\"reason\\\": \\\"", "\\\", \\\"score\\\": 0}");
}

static struct answer *judge(char *request, size_t length) {
  char *sound = memmem(request, length, "sound-answer-", 13);
  char *flawed = memmem(request, length, "flawed-answer-", 14);
  if (!sound || !flawed) return &fixed;
  char *digit = sound + 13;
  while (digit[1] >= '0' && digit[1] <= '9') digit++;
  int prefers_first = (sound < flawed) == (*digit > '2');
  if (memmem(request, length, "\\\"score\\\"", 9)) return prefers_first ? &high : &low;
  return prefers_first ? &first : &second_one;
}

/* The length of the first whole request in the buffer; 0 where it is not whole yet. */
static size_t whole(struct connection *c, int *stats) {
  char *end = memmem(c->in, c->used, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t header = end + 4 - c->in, body = 0;
  *stats = c->used > 10 && !memcmp(c->in, "GET /stats", 10);
  for (char *line = c->in; line < end; line = strstr(line, "\r\n") + 2)
    if (!strncasecmp(line, "content-length:", 15)) body = strtoul(line + 15, NULL, 10);
  return c->used >= header + body ? header + body : 0;
}

static void count(double time) {
  requests++;
  if ((long)time != second) {
    second = (long)time;
    in_second = 0;
  }
  if (++in_second > busiest) busiest = in_second;
}

static void take(int fd, double time) {
  struct connection *c = &table[fd];
  int stats = 0;
  size_t length;
  while (c->used > 0 && (length = whole(c, &stats))) {
    struct answer *answer = judge(c->in, length);
    memmove(c->in, c->in + length, c->used - length);
    c->used -= length;
    if (stats) {
      char out[256], body[64];
      int n = sprintf(body, "{\"requests\":%ld,\"busiest\":%ld}", requests, busiest);
      send_all(fd, out, sprintf(out, "HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s", n, body));
      continue;
    }
    count(time);
    if (latency == 0) send_all(fd, answer->bytes, answer->length);
    else queue[tail++ & ((1 << 20) - 1)] = (struct waiting){fd, time + latency, answer};
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  latency = atof(argv[2]) / 1000;
  make_answers();
  int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), epoll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&address, size) || listen(listener, 4096)) return 1;
  getsockname(listener, (void *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[1024];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int wait = -1;
    if (head != tail) {
      double left = (queue[head & ((1 << 20) - 1)].due - now()) * 1000;
      wait = left <= 0 ? 0 : left < 1 ? 1 : (int)left;
    }
    int n = epoll_wait(epoll, events, 1024, wait);
    double time = now();
    for (int i = 0; i < n; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int client;
        while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          if (client >= CONNECTIONS) {
            close(client);
            continue;
          }
          setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          if (!table[client].in) table[client].in = malloc(BUFFER);
          table[client].used = 0;
          event.data.fd = client;
          epoll_ctl(epoll, EPOLL_CTL_ADD, client, &event);
        }
        continue;
      }
      struct connection *c = &table[fd];
      ssize_t got = recv(fd, c->in + c->used, BUFFER - 1 - c->used, 0);
      if (got > 0) {
        c->used += got;
        c->in[c->used] = 0;
        take(fd, time);
      } else if (got == 0 || errno != EAGAIN) close(fd);
    }
    for (time = now(); head != tail && queue[head & ((1 << 20) - 1)].due <= time; head++) {
      struct waiting *done = &queue[head & ((1 << 20) - 1)];
      send_all(done->fd, done->answer->bytes, done->answer->length);
    }
  }
}
