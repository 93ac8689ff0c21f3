#include "infra/node/data_directory.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "infra/system/whole_file.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using ::testing::HasSubstr;

class DataDirectoryTest : public ::testing::Test {
 protected:
  mode_t mode(const char* name) const {
    struct stat status = {};
    EXPECT_EQ(::stat((path_ / name).c_str(), &status), 0) << name;
    return status.st_mode & 07777U;
  }
  testing::TemporaryDirectory parent_;
  std::filesystem::path path_ = parent_.path() / "deep" / "tilth-data";
};

TEST_F(DataDirectoryTest, IsMadeWithItsSecretsForItsOwnerAlone) {
  const auto directory = DataDirectory::open(path_);
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->path(), path_);
  EXPECT_EQ(directory->key_secret().size(), 32U);
  EXPECT_EQ(directory->operator_token().size(), 64U);
  EXPECT_EQ(*read_whole_file(path_ / "operator.token"), directory->operator_token());
  EXPECT_EQ(*read_whole_file(path_ / "key.secret"), directory->key_secret());
  EXPECT_THAT(directory->node(), ::testing::StartsWith("tilth-"));
  EXPECT_EQ(mode("operator.token"), 0600U);
  EXPECT_EQ(mode("key.secret"), 0600U);
}

TEST_F(DataDirectoryTest, IsDiscardedWithWhatWasMadeForItAlone) {
  const auto deeper = path_ / "still" / "deeper";
  auto directory = DataDirectory::open(deeper);
  ASSERT_TRUE(directory);
  ASSERT_TRUE(write_whole_file(path_ / "of somebody else", "", 0600));
  directory->discard();
  EXPECT_FALSE(std::filesystem::exists(path_ / "still"));
  EXPECT_TRUE(std::filesystem::exists(path_ / "of somebody else"));
  auto again = DataDirectory::open(deeper);
  ASSERT_TRUE(again);
  std::filesystem::remove(path_ / "of somebody else");
  again->discard();
  EXPECT_TRUE(std::filesystem::exists(path_)) << "it was there before";
}

TEST_F(DataDirectoryTest, TellsOfAFileThatOthersCanRead) {
  const auto directory = DataDirectory::open(path_);
  ASSERT_TRUE(directory);
  const auto log = path_ / "log" / "1.log";
  std::filesystem::create_directories(log.parent_path());
  ASSERT_TRUE(write_whole_file(log, "hashes", 0644));
  ::chmod(log.parent_path().c_str(), 0755);
  EXPECT_EQ(directory->readable_by_others(), std::nullopt)
      << "no other user may enter the directory";
  ::chmod(path_.c_str(), 0755);
  EXPECT_EQ(directory->readable_by_others(), log);
  ::chmod(log.parent_path().c_str(), 0700);
  EXPECT_EQ(directory->readable_by_others(), std::nullopt);
  ::chmod(log.parent_path().c_str(), 0711);  // its names can be guessed
  EXPECT_EQ(directory->readable_by_others(), log);
  ::chmod(log.c_str(), 0640);
  EXPECT_EQ(directory->readable_by_others(), std::nullopt);
}

TEST_F(DataDirectoryTest, KeepsWhatItHasMade) {
  std::string token;
  std::string secret;
  std::string node;
  {
    const auto directory = DataDirectory::open(path_);
    ASSERT_TRUE(directory);
    token = directory->operator_token();
    secret = directory->key_secret();
    node = directory->node();
  }
  const auto again = DataDirectory::open(path_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->operator_token(), token);
  EXPECT_EQ(again->key_secret(), secret);
  EXPECT_EQ(again->node(), node);
}

TEST_F(DataDirectoryTest, DiffersFromEveryOther) {
  const auto one = DataDirectory::open(path_);
  const auto other = DataDirectory::open(parent_.path() / "other");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->operator_token(), other->operator_token());
  EXPECT_NE(one->key_secret(), other->key_secret());
  EXPECT_NE(one->node(), other->node());
}

TEST_F(DataDirectoryTest, TellsASecondProcessWhoHoldsIt) {
  const auto held = DataDirectory::open(path_);
  ASSERT_TRUE(held);
  const auto said = parent_.path() / "said";
  const auto second = ::fork();
  ASSERT_GE(second, 0);
  if (second == 0) {
    const auto refused = DataDirectory::open(path_);
    const auto status = write_whole_file(said, refused ? "" : refused.error().message, 0600);
    ::_exit(!refused && refused.error().code == ErrorCode::kConflict && status ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(second, &status, 0), second);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(**read_whole_file(said), "The data directory " + path_.string() +
                                         " is in use by process " + std::to_string(::getpid()) +
                                         ".");
}

TEST_F(DataDirectoryTest, IsFreeWhenItsProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const auto first = ::fork();
  ASSERT_GE(first, 0);
  if (first == 0) {
    const auto held = DataDirectory::open(path_);
    [[maybe_unused]] const auto told = ::write(ready[1], held ? "y" : "n", 1);
    while (true) ::pause();
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_FALSE(DataDirectory::open(path_));
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_EQ(::waitpid(first, nullptr, 0), first);
  EXPECT_TRUE(DataDirectory::open(path_));
}

TEST_F(DataDirectoryTest, TakesATokenAndASecretThatAreThereBeforeItsFirstStart) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ / "operator.token") << "an-operators-own-token\n";
  std::ofstream(path_ / "key.secret") << std::string(32, 'k');
  const auto directory = DataDirectory::open(path_);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->operator_token(), "an-operators-own-token");
  EXPECT_EQ(directory->key_secret(), std::string(32, 'k'));
}

TEST_F(DataDirectoryTest, NeverReplacesALostKeySecretSilently) {
  ASSERT_TRUE(DataDirectory::open(path_));
  std::filesystem::remove(path_ / "key.secret");
  const auto directory = DataDirectory::open(path_);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::kDamaged);
  EXPECT_THAT(directory.error().message, HasSubstr("key.secret"));
  EXPECT_FALSE(std::filesystem::exists(path_ / "key.secret"));
}

TEST_F(DataDirectoryTest, MissesTheKeySecretOfALogThatWasRestored) {
  std::filesystem::create_directories(path_ / "log");
  const auto directory = DataDirectory::open(path_);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::kDamaged);
  EXPECT_FALSE(std::filesystem::exists(path_ / "key.secret"));
}

TEST_F(DataDirectoryTest, RefusesASecretOrTokenThatIsTooShort) {
  ASSERT_TRUE(DataDirectory::open(path_));
  std::ofstream(path_ / "operator.token", std::ios::trunc) << "short";
  EXPECT_FALSE(DataDirectory::open(path_));
  std::filesystem::remove(path_ / "operator.token");
  EXPECT_TRUE(DataDirectory::open(path_)) << "a removed token is recreated";
  std::ofstream(path_ / "key.secret", std::ios::trunc) << "short";
  EXPECT_FALSE(DataDirectory::open(path_));
}

TEST_F(DataDirectoryTest, SaysWhyItCannotBeMade) {
  std::ofstream(parent_.path() / "file") << "in the way";
  const auto directory = DataDirectory::open(parent_.path() / "file" / "data");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(directory.error().message, HasSubstr("Not a directory"));
}

TEST_F(DataDirectoryTest, IsThereWithItsSecretsOnceThePowerIsBack) {
  std::string secret, token;
  testing::hit_each_sync(parent_.path(), testing::AtSync::kLosesPower,
                         {.work =
                              [&] {
                                const auto opened = DataDirectory::open(path_);
                                secret = opened ? opened->key_secret() : "";
                                token = opened ? opened->operator_token() : "";
                              },
                          .check =
                              [&] {
                                const auto found = DataDirectory::open(path_);
                                ASSERT_TRUE(found) << found.error().message;
                                EXPECT_TRUE(secret.empty() || secret == found->key_secret());
                                EXPECT_TRUE(token.empty() || token == found->operator_token());
                              }});
}

}  // namespace
}  // namespace tilth
