#include "api/http/address.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

bool contains(const char* network, const char* address) {
  return Network::parse(network).value().contains(Address::parse(address).value());
}

std::string client(const char* peer, const std::vector<std::string>& forwarded_for,
                   const std::vector<const char*>& trusted = {"10.0.0.0/8"}) {
  std::vector<Network> networks;
  for (const auto* network : trusted) networks.push_back(Network::parse(network).value());
  const auto address = client_address(peer, forwarded_for, networks);
  return address ? address->text() : "none";
}

TEST(Address, IsReadAndWrittenInBothFamilies) {
  EXPECT_EQ(Address::parse("192.0.2.1").value().text(), "192.0.2.1");
  EXPECT_EQ(Address::parse("2001:DB8:0::1").value().text(), "2001:db8::1");
  EXPECT_EQ(Address::parse("::ffff:192.0.2.1"), Address::parse("192.0.2.1"));
  EXPECT_EQ(Address::parse("::ffff:c000:201").value().text(), "192.0.2.1");
  EXPECT_NE(Address::parse("::192.0.2.1"), Address::parse("192.0.2.1"));
  for (const auto* wrong : {"", " ", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1 ",
                            "::1::", "[::1]", "192.0.2.1:80", "localhost", "fe80::1%eth0"}) {
    EXPECT_FALSE(Address::parse(wrong)) << wrong;
  }
  EXPECT_FALSE(Address::parse(std::string_view("1.2.3.4\0", 8)));
}

TEST(Address, IsCountedForItselfInIPv4AndForItsNetworkOf64BitsInIPv6) {
  EXPECT_EQ(counted_address("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(counted_address("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(counted_address("2001:db8:0:7:1:2:3:4"), "2001:db8:0:7::/64");
  EXPECT_EQ(counted_address("2001:db8:0:7:ffff::"), "2001:db8:0:7::/64");
  EXPECT_NE(counted_address("2001:db8:0:8::1"), counted_address("2001:db8:0:7::1"));
  EXPECT_EQ(counted_address("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(counted_address("::1"), "::/64");
  EXPECT_EQ(counted_address("somewhere"), "somewhere");
}

TEST(Address, HasNeighboursInItsNetwork) {
  EXPECT_EQ(Address::parse("192.0.2.77").value().neighbours().text(), "192.0.2.0/24");
  EXPECT_EQ(Address::parse("2001:db8:1:7::9").value().neighbours().text(), "2001:db8:1::/48");
}

TEST(Network, HoldsItsAddresses) {
  EXPECT_TRUE(contains("192.0.2.0/24", "192.0.2.255"));
  EXPECT_FALSE(contains("192.0.2.0/24", "192.0.3.0"));
  EXPECT_TRUE(contains("192.0.2.129/25", "192.0.2.200"));
  EXPECT_FALSE(contains("192.0.2.129/25", "192.0.2.100"));
  EXPECT_TRUE(contains("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(contains("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(contains("0.0.0.0/0", "8.8.8.8"));
  EXPECT_TRUE(contains("2001:db8::/33", "2001:db8:7fff::"));
  EXPECT_FALSE(contains("2001:db8::/33", "2001:db8:8000::"));
}

TEST(Network, KeepsTheFamiliesApart) {
  EXPECT_TRUE(contains("192.0.2.0/24", "::ffff:192.0.2.9"));
  EXPECT_TRUE(contains("::ffff:192.0.2.0/120", "192.0.2.9"));
  EXPECT_TRUE(contains("::/0", "2001:db8::1"));
  EXPECT_FALSE(contains("::/0", "192.0.2.9"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
}

TEST(Network, IsWrittenAsItIsRead) {
  for (const auto* text : {"192.0.2.0/24", "0.0.0.0/0", "192.0.2.7", "2001:db8::/32", "::/0"}) {
    EXPECT_EQ(Network::parse(text).value().text(), text);
  }
}

TEST(Network, RefusesWhatIsNone) {
  for (const auto* wrong : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1",
                            "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0.0/8 ", "::ffff:10.0.0.0/64"}) {
    EXPECT_FALSE(Network::parse(wrong)) << wrong;
  }
}

TEST(ClientAddress, IsThePeersUnlessThatIsATrustedProxy) {
  EXPECT_EQ(client("192.0.2.1", {}), "192.0.2.1");
  EXPECT_EQ(client("192.0.2.1", {"198.51.100.7"}), "192.0.2.1");
  EXPECT_EQ(client("10.0.0.1", {}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.7"}), "198.51.100.7");
  EXPECT_EQ(client("10.0.0.1", {"198.51.100.7"}, {}), "10.0.0.1");
}

TEST(ClientAddress, IsTheRightmostThatIsNoProxy) {
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5, 198.51.100.7, 10.0.0.2"}), "198.51.100.7");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5", "198.51.100.7", "10.0.0.2"}), "198.51.100.7");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5,10.0.0.3", "10.0.0.2"}), "203.0.113.5");
  EXPECT_EQ(client("10.0.0.1", {"10.0.0.3 ,\t10.0.0.2"}), "10.0.0.3");
  EXPECT_EQ(client("::ffff:10.0.0.1", {"2001:db8::9"}), "2001:db8::9");
}

TEST(ClientAddress, StopsBeforeAnEntryThatIsNoAddress) {
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5, unknown"}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5, unknown, 10.0.0.2"}), "10.0.0.2");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5,,10.0.0.2"}), "10.0.0.2");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5", ""}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.5:4711"}), "10.0.0.1");
}

TEST(ClientAddress, IsNoneWhereThePeerHasNone) {
  EXPECT_EQ(client("", {"203.0.113.5"}), "none");
  EXPECT_EQ(client("fe80::1%eth0", {}), "fe80::1");
}

}  // namespace
}  // namespace tilth
