// jb-parse's job with simdjson in C++: two values are read, the verdict is spliced into the line. Argument: FILE.
#include <cstdio>
#include <simdjson.h>
#include <string>
#include <string_view>

using std::string_view;

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  auto file = simdjson::padded_string::load(argv[1]);
  if (file.error()) return 1;
  string_view rows(file.value_unsafe());
  simdjson::ondemand::parser parser;
  std::string out;
  for (size_t from = 0; from < rows.size();) {
    size_t end = rows.find('\n', from);
    if (end == string_view::npos) end = rows.size();
    auto row = parser.iterate(rows.data() + from, end - from, rows.size() - from + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::object jb = row["jb"];
    string_view order = jb["trial"]["order"];
    string_view text = jb["reply"]["text"];
    size_t close = text.rfind("]]"), open = text.rfind("[[", close);
    string_view label = text.substr(open + 2, close - open - 2);
    string_view plain = label == "A>>B" ? "A>B" : label == "B>>A" ? "B>A" : label;
    string_view turned = plain == "A>B" ? "B>A" : plain == "B>A" ? "A>B" : plain;
    size_t splice = rows.rfind("}}", end);
    out.append(rows, from, splice - from).append(",\"verdict\":{\"label\":\"").append(label);
    out.append("\",\"decision\":\"").append(order == "AB" ? plain : turned);
    out.append("\",\"strength\":").append(label.size() == 4 ? "2" : "1").append("}}}\n");
    if (out.size() > 128 * 1024) {
      fwrite(out.data(), 1, out.size(), stdout);
      out.clear();
    }
    from = end + 1;
  }
  fwrite(out.data(), 1, out.size(), stdout);
}
