// Byte strings that two HTTP parsers could read as different requests, and the expected status.

#pragma once

#include <string>
#include <vector>

namespace tilth {

struct DoubtfulRequest {
  std::string name;
  std::string bytes;
  int status;
};

inline std::vector<DoubtfulRequest> doubtful_requests() {
  using namespace std::string_literals;
  const std::string post = "POST /doubt HTTP/1.1\r\nHost: a\r\n";
  const std::string get = "GET /doubt HTTP/1.1\r\nHost: a\r\n";
  const std::string inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  const auto coded = [&](const std::string& coding) {
    return post + "Transfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n" + inner;
  };
  const auto sized = [&](const std::string& length) {
    return post + "Content-Length: " + length + "\r\n\r\nabcde" + inner;
  };
  const auto target = [](const std::string& text) {
    return "GET " + text + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  return {
      {"blank_before_colon", post + "Content-Length : 5\r\n\r\nabcde" + inner, 400},
      {"tab_before_colon", post + "Content-Length\t: 5\r\n\r\nabcde" + inner, 400},
      {"two_lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde" + inner, 400},
      {"same_length_twice", post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde", 400},
      {"list_of_lengths", sized("5, 5"), 400},
      {"signed_length", sized("+5"), 400},
      {"negative_length", sized("-5"), 400},
      {"hexadecimal_length", sized("0x5"), 400},
      {"length_with_a_blank_inside", sized("5 5"), 400},
      {"empty_length", sized(""), 400},
      {"fractional_length", sized("5.0"), 400},
      {"length_beyond_64_bits", sized("99999999999999999999999"), 400},
      {"length_and_chunked",
       post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunked_and_length",
       post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
      {"length_and_unknown_coding",
       post + "Content-Length: 5\r\nTransfer-Encoding: ch\r\n\r\nabcde", 400},
      {"prefix_of_chunked", coded("ch"), 400},
      {"chunked_not_last", coded("chunked, identity"), 400},
      {"chunked_twice", coded("chunked, chunked"), 400},
      {"xchunked", coded("xchunked"), 400},
      {"identity", coded("identity"), 400},
      {"empty_coding", coded(""), 400},
      {"vertical_tab_before_chunked",
       coded("\x0B"
             "chunked"),
       400},
      {"parameter_of_chunked", coded("chunked;q=1"), 400},
      {"two_transfer_encodings",
       post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"unknown_coding_before_chunked", coded("gzip, chunked"), 400},
      {"chunked_in_1_0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"folded_header", get + "A: b\r\n c\r\n\r\n", 400},
      {"folded_first_header", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"bare_line_feed", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"bare_line_feed_in_a_header", get + "A: b\nContent-Length: 5\r\n\r\n", 400},
      {"bare_carriage_return", get + "A: b\rContent-Length: 5\r\n\r\n", 400},
      {"nul_in_a_value", get + "A: b\0c\r\n\r\n"s, 400},
      {"nul_in_a_name", get + "A\0: b\r\n\r\n"s, 400},
      {"delete_in_a_value", get + "A: b\x7F\r\n\r\n", 400},
      {"header_without_colon", get + "Abc\r\n\r\n", 400},
      {"header_without_name", get + ": b\r\n\r\n", 400},
      {"name_with_a_bracket", get + "A[0]: b\r\n\r\n", 400},
      {"name_with_a_high_byte", get + "A\xC3\xA4: b\r\n\r\n", 400},
      {"no_host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two_hosts", get + "Host: b\r\n\r\n", 400},
      {"empty_host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
      {"host_with_a_path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"host_list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
      {"host_with_a_user", "GET / HTTP/1.1\r\nHost: me@a\r\n\r\n", 400},
      {"absolute_form_of_another_host", target("http://b/"), 400},
      {"absolute_form_of_another_scheme", target("ftp://a/"), 400},
      {"absolute_form_without_host", target("http:///x"), 400},
      {"authority_form", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 400},
      {"connect_in_absolute_form", "CONNECT http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"asterisk_form", target("*"), 400},
      {"relative_target", target("doubt"), 400},
      {"fragment", target("/a#b"), 400},
      {"blank_in_target", target("/a b"), 400},
      {"tab_in_target", target("/a\tb"), 400},
      {"high_byte_in_target", target("/\xC3\xA4"), 400},
      {"empty_target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"two_blanks", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"blank_first", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"no_method", "/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"method_with_a_slash", "G/T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"no_version", "GET /\r\n\r\n", 400},
      {"lower_case_version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"version_1", "GET / HTTP/1\r\nHost: a\r\n\r\n", 400},
      {"version_1_10", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
      {"blank_after_version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"version_1_2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 400},
      {"version_0_9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 400},
      {"version_2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"two_empty_lines_first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"tls", "\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03"s, 400},
      {"malformed_connection", get + "Connection: close; x\r\n\r\n", 400},
      {"other_expectation", post + "Content-Length: 5\r\nExpect: 200-ok\r\n\r\n", 417},
      {"chunk_size_without_digits", chunked + "\r\n\r\n" + inner, 400},
      {"chunk_size_in_0x", chunked + "0x5\r\nabcde\r\n0\r\n\r\n", 400},
      {"signed_chunk_size", chunked + "+5\r\nabcde\r\n0\r\n\r\n", 400},
      {"blank_before_chunk_size", chunked + " 5\r\nabcde\r\n0\r\n\r\n", 400},
      {"blank_after_chunk_size", chunked + "5 \r\nabcde\r\n0\r\n\r\n", 400},
      {"chunk_size_beyond_64_bits", chunked + "fffffffffffffffff\r\nabcde\r\n0\r\n\r\n", 400},
      {"chunk_longer_than_its_size", chunked + "4\r\nabcde\r\n0\r\n\r\n", 400},
      {"chunk_with_bare_line_feed", chunked + "5\nabcde\n0\n\n\r\n\r\n", 400},
      {"chunk_extension_with_bare_line_feed", chunked + "5;a\nb\r\nabcde\r\n0\r\n\r\n", 400},
      {"chunk_extension_with_bare_carriage_return", chunked + "5;a\rb\r\nabcde\r\n0\r\n\r\n", 400},
      {"chunk_extension_without_end", chunked + "5;" + std::string(9000, 'a'), 400},
      {"chunk_extensions_without_measure",
       chunked + "1;" + std::string(3000, 'a') + "\r\na\r\n1;" + std::string(3000, 'a') + "\r\n",
       400},
      {"length_in_trailers", chunked + "0\r\nContent-Length: 5\r\n\r\n", 400},
      {"folded_trailer", chunked + "0\r\nA: b\r\n c\r\n\r\n", 400},
      {"bare_line_feed_in_trailers", chunked + "0\r\nA: b\nC: d\r\n\r\n", 400},
      {"trailers_without_end", chunked + "0\r\nA: " + std::string(9000, 'a'), 400},
      {"request_line_too_long", target("/" + std::string(20'000, '/')), 414},
      {"request_line_without_end", "GET /" + std::string(17'000, 'a'), 414},
      {"headers_too_large", get + "A: " + std::string(33'000, 'a') + "\r\n\r\n", 431},
      {"headers_without_end", get + std::string(33'000, 'a'), 431},
      {"too_many_headers",
       [&] {
         std::string many = get;
         for (int i = 0; i < 100; ++i) many += "A: b\r\n";
         return many + "\r\n";
       }(),
       431},
  };
}

}  // namespace tilth
