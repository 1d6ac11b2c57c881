#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/random.h"
#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::run_assay;
using testing::HasSubstr;

using Path = std::filesystem::path;
using Words = std::vector<std::string>;

// One array of an .npz.
struct Member {
  std::string name;
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
  std::vector<std::byte> bytes;
  bool fortran_order = false;
};

// A .npy image that says its first index runs fastest. "False" and "True " have the same length.
void declare_fortran_order(const Path& npy) {
  std::string image = test::read_text(npy);
  const std::size_t at = image.find("False");
  ASSERT_NE(at, std::string::npos);
  test::write_text(npy, image.replace(at, 5, "True "));
}

template <typename T>
Member member(const std::string& name, ElementType type, std::vector<Index> shape,
              const std::vector<T>& values) {
  Member out{name, type, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T)),
             false};
  std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return out;
}

// A world of 3 scales, 60 samples to fit and 50 to measure, 4 dimensions.
struct World {
  std::vector<double> scales = {0.5, 1.5, 3.0};
  std::vector<float> train, test;
  std::vector<std::int64_t> train_labels, test_labels;
  static constexpr Index kDim = 4;

  explicit World(double signal, std::uint64_t seed) {
    fill(train, train_labels, 60, signal, seed);
    fill(test, test_labels, 50, signal, seed + 100);
  }

  void fill(std::vector<float>& x, std::vector<std::int64_t>& y, Index count, double signal,
            std::uint64_t seed) const {
    for (const double scale : scales) {
      Random random(seed);  // the same noise at every scale
      for (Index i = 0; i < count; ++i) {
        y.push_back(i % 2);
        const double shift = (i % 2 == 1 ? 1.0 : -1.0) * signal * scale / 2.0;
        for (Index k = 0; k < kDim; ++k) x.push_back(static_cast<float>(random.normal() + shift));
      }
    }
  }

  std::vector<Member> members() const {
    return {member("scales", ElementType::f64, {3}, scales),
            member("train", ElementType::f32, {3, 60, kDim}, train),
            member("test", ElementType::f32, {3, 50, kDim}, test),
            member("train_labels", ElementType::i64, {3, 60}, train_labels),
            member("test_labels", ElementType::i64, {3, 50}, test_labels)};
  }
};

class RobustCommand : public testing::Test {
 protected:
  RobustCommand() { setenv("ASSAY_CACHE", (folder_ / "cache").c_str(), 1); }

  Path write(const std::string& name, const std::vector<Member>& members) const {
    Path path = folder_ / name;
    int code = 0;
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    std::vector<std::string> files;
    for (const Member& one : members) {
      const Path npy = folder_ / (one.name + ".member.npy");
      write_npy(npy, one.type, one.shape, one.bytes);
      if (one.fortran_order) declare_fortran_order(npy);
      files.push_back(npy.string());
      zip_file_add(archive, (one.name + ".npy").c_str(),
                   zip_source_file(archive, files.back().c_str(), 0, -1), 0);
    }
    EXPECT_EQ(zip_close(archive), 0);
    for (const std::string& file : files) std::filesystem::remove(file);
    return path;
  }

  Path good() const { return write("good.npz", World(1.0, 1).members()); }
  Path poor() const { return write("poor.npz", World(0.3, 2).members()); }

  static CommandResult score(const Words& options) {
    Words words = {"robust", "score", "--representations"};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }

  // The error of a file with one member replaced (or left out, when its shape is empty).
  std::string error_with(const Member& changed) const {
    std::vector<Member> members = World(1.0, 1).members();
    for (auto it = members.begin(); it != members.end(); ++it) {
      if (it->name != changed.name) continue;
      if (changed.shape.empty()) {
        members.erase(it);
      } else {
        *it = changed;
      }
      break;
    }
    const CommandResult result = score({write("bad.npz", members).string()});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  test::TemporaryDirectory folder_;
};

TEST_F(RobustCommand, GivesTheNumbersOfTheContract) {
  const json all = json_of(score({good().string(), poor().string(), "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 2U);
  const json& model = all["models"][0];
  EXPECT_EQ(model.at("name"), "good");
  EXPECT_EQ(model.at("scores").size(), 25U);  // five epsilons, five thresholds
  for (const json& one : model["scores"]) {
    for (const char* field :
         {"epsilon", "threshold", "value", "value_se", "calibrated", "calibrated_se"})
      EXPECT_TRUE(one.at(field).is_number()) << field;
    EXPECT_TRUE(one.at("reason").is_null());
    EXPECT_LT(one["value"].get<double>(), 2.0);
  }
  EXPECT_TRUE(model.at("best_epsilon").is_null());  // 60 samples do not tell
  EXPECT_EQ(all.at("provenance").at("inputs").size(), 2U);
  EXPECT_GT(model["scores"][0]["value"], all["models"][1]["scores"][0]["value"]);
}

TEST_F(RobustCommand, ScoresAreTheAreasUnderTheCurvesItShows) {
  const json all =
      json_of(score({good().string(), "--epsilon", "0.2", "--threshold", "0.7", "--json", "-"}));
  const json& model = all.at("models")[0];
  const json& curve = model.at("curves")[0];
  double area = 0.0;
  double raw = 0.0;
  for (const json& point : curve.at("points")) {
    const double s = point.at("scale");
    const double above = 0.5 * std::erfc(-s / std::sqrt(2.0));  // accuracy of the raw data
    const double density = std::exp(-0.5 * s * s) / std::sqrt(2.0 * std::acos(-1.0));
    raw += (density / (s * above) + 1.0) * std::max(0.0, above - 0.7);
    area +=
        point.at("bound").get<double>() * std::max(0.0, point.at("accuracy").get<double>() - 0.7);
  }
  EXPECT_NEAR(model.at("scores")[0].at("value").get<double>(), area / raw, 1e-12);
  EXPECT_EQ(curve.at("expected_bound").size(), all.at("curve_thresholds").size());
  EXPECT_EQ(curve.at("expected_bound_raw").size(), all.at("curve_thresholds").size());
}

TEST_F(RobustCommand, PrintsATableAndWarnsOfFewSamples) {
  const CommandResult plain = score({good().string(), poor().string(), "--threshold", "0.7"});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_THAT(plain.out, HasSubstr("best ε"));
  EXPECT_THAT(plain.out, HasSubstr("good"));
  EXPECT_EQ(plain.err, "");
  std::vector<Member> wide = World(1.0, 1).members();
  wide[1].shape = {3, 15, 16};  // the same numbers as 15 samples of 16 dimensions
  wide[2].shape = {3, 50, 4};
  wide[2] = member("test", ElementType::f32, {3, 12, 16}, std::vector<float>(576, 0.5F));
  wide[3] = member("train_labels", ElementType::i64, {3, 15}, std::vector<std::int64_t>(45, 0));
  for (std::size_t i = 0; i < 45; i += 2) wide[3].bytes[i * 8] = std::byte{1};
  wide[4] = member("test_labels", ElementType::i64, {3, 12}, std::vector<std::int64_t>(36, 1));
  const CommandResult few = score({write("wide.npz", wide).string()});
  EXPECT_EQ(few.exit_code, 0);
  EXPECT_THAT(few.err, HasSubstr("15 samples for 16 dimensions"));
}

TEST_F(RobustCommand, DoesNotDependOnThreadsAndTakesGlobalOptionsAnywhere) {
  const std::string file = good().string();
  const json one = json_of(score({file, "--threads", "1", "--json", "-"}));
  const json three = json_of(
      run_assay({"--threads", "3", "robust", "score", "--json", "-", "--representations", file}));
  EXPECT_EQ(one["models"][0]["scores"], three["models"][0]["scores"]);
  EXPECT_EQ(one["models"][0]["curves"], three["models"][0]["curves"]);
}

TEST_F(RobustCommand, LeavesOutScalesThatAnAbsoluteEpsilonCovers) {
  const json all = json_of(score({good().string(), "--absolute", "--epsilon", "0,1,100",
                                  "--threshold", "0.7", "--json", "-"}));
  const json& model = all.at("models")[0];
  EXPECT_EQ(model["curves"][0]["dropped_scales"], 0);
  EXPECT_EQ(model["curves"][1]["dropped_scales"], 1);  // the classes are +-0.5 apart at scale 0.5
  EXPECT_EQ(model["curves"][2]["dropped_scales"], 3);
  EXPECT_TRUE(model["scores"][2]["value"].is_null());
  EXPECT_TRUE(model["scores"][2]["calibrated"].is_null());
  EXPECT_TRUE(model["curves"][1]["points"][0]["accuracy"].is_null());
}

TEST_F(RobustCommand, TakesNormsAndPriors) {
  const std::string file = good().string();
  const auto value = [&](const Words& options) {
    Words words = {file, "--epsilon", "0,0.6", "--threshold", "0.7", "--json", "-"};
    words.insert(words.end(), options.begin(), options.end());
    return json_of(score(words)).at("models")[0].at("scores");
  };
  const json two = value({});
  EXPECT_EQ(two, value({"--norm", "2", "--literal"}));  // a rotation keeps the Euclidean ball
  for (const char* norm : {"1", "inf"}) {
    const json other = value({"--norm", norm});
    EXPECT_EQ(other[0]["value"], two[0]["value"]);  // epsilon 0 knows no norm
    EXPECT_NE(other[1]["value"], two[1]["value"]);
    EXPECT_NE(other[1]["value"], value({"--norm", norm, "--literal"})[1]["value"]);
  }
  EXPECT_NE(value({"--class-prior", "0.45"})[0]["value"], two[0]["value"]);
  // Naming the larger class is right 70 % of the time already.
  const CommandResult refused =
      score({file, "--class-prior", "0.3", "--threshold", "0.7", "--json", "-"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("larger class"));
}

TEST_F(RobustCommand, ReadsOtherTypesAndFortranOrder) {
  const World world(1.0, 1);
  const json plain = json_of(score({good().string(), "--json", "-"}));
  std::vector<Member> members = world.members();
  const auto bools = [](const std::vector<std::int64_t>& labels) {
    std::vector<std::uint8_t> out(labels.begin(), labels.end());
    return out;
  };
  members[3] = member("train_labels", ElementType::boolean, {3, 60}, bools(world.train_labels));
  members[4] = member("test_labels", ElementType::u8, {3, 50}, bools(world.test_labels));
  members[1] = member("train", ElementType::f64, {3, 60, 4},
                      std::vector<double>(world.train.begin(), world.train.end()));
  const json other = json_of(score({write("good.npz", members).string(), "--json", "-"}));
  EXPECT_EQ(plain["models"][0]["scores"], other["models"][0]["scores"]);
  // Fortran order: NumPy writes the first index fastest.
  std::vector<float> fortran(world.train.size());
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t k = 0; k < 4; ++k)
        fortran[s + 3 * (i + 60 * k)] = world.train[(s * 60 + i) * 4 + k];
  members[1] = member("train", ElementType::f32, {3, 60, 4}, fortran);
  members[1].fortran_order = true;
  std::vector<std::int64_t> labels(180);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < 60; ++i) labels[s + 3 * i] = world.train_labels[s * 60 + i];
  members[3] = member("train_labels", ElementType::i64, {3, 60}, labels);
  members[3].fortran_order = true;
  const json turned = json_of(score({write("good.npz", members).string(), "--json", "-"}));
  EXPECT_EQ(plain["models"][0]["scores"], turned["models"][0]["scores"]);
}

TEST_F(RobustCommand, TakesTheWorldThatRepresentationsWereMadeOf) {
  const std::string file = good().string();
  const auto scored = [&](const Words& options) {
    Words words = {file, "--epsilon", "0.4", "--threshold", "0.7", "--json", "-"};
    words.insert(words.end(), options.begin(), options.end());
    return json_of(score(words));
  };
  const json plain = scored({});
  EXPECT_FALSE(plain.contains("world"));
  const Path mean = folder_ / "mean.npy";
  const Path noise = folder_ / "noise.npy";
  write_npy(mean, Matrix::Ones(4, 1));
  write_npy(noise, Matrix::Ones(4, 1));
  const json same = scored({"--mean", mean.string(), "--covariance", noise.string()});
  EXPECT_NEAR(same["models"][0]["scores"][0]["value"].get<double>(),
              plain["models"][0]["scores"][0]["value"].get<double>(), 1e-12);
  EXPECT_EQ(same["world"]["mean"], mean.string());
  EXPECT_EQ(same["provenance"]["inputs"].size(), 3U);
  Matrix uneven(4, 1);
  uneven << 9.0, 1.0, 0.1, 0.1;
  write_npy(noise, uneven);
  const json other = scored({"--covariance", noise.string()});
  EXPECT_NE(other["models"][0]["scores"][0]["value"], plain["models"][0]["scores"][0]["value"]);
  // A factor may be the transpose of another array, which NumPy stores column by column.
  const auto low_rank = [&](bool fortran, const std::vector<double>& values) {
    Member factor = member("factor", ElementType::f64, {4, 2}, values);
    factor.fortran_order = fortran;
    const Path path =
        write("low.npz",
              {member("diagonal", ElementType::f64, {4}, std::vector<double>(4, 1.0)), factor});
    return scored({"--covariance", path.string()})["models"][0]["scores"];
  };
  EXPECT_EQ(low_rank(false, {1, 5, 2, 6, 3, 7, 4, 8}), low_rank(true, {1, 2, 3, 4, 5, 6, 7, 8}));
  const CommandResult refused = score({file, "--covariance", noise.string(), "--norm", "1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--norm"));
}

TEST_F(RobustCommand, SaysWhatIsWrongWithAFile) {
  const World world(1.0, 1);
  for (const char* name : {"scales", "train", "test", "train_labels", "test_labels"})
    EXPECT_THAT(error_with({name, ElementType::f64, {}, {}, false}),
                HasSubstr(fmt::format("holds no array '{}'", name)));
  EXPECT_THAT(error_with(member("scales", ElementType::f64, {2}, std::vector<double>{1.0, 2.0})),
              HasSubstr("2 scales"));
  EXPECT_THAT(error_with(member("scales", ElementType::f64, {3}, std::vector<double>{1, 0, 2})),
              HasSubstr("positive"));
  EXPECT_THAT(
      error_with(member("scales", ElementType::f64, {3}, std::vector<double>{1, std::nan(""), 2})),
      HasSubstr("positive"));
  EXPECT_THAT(error_with(member("train", ElementType::f32, {180, 4}, world.train)),
              HasSubstr("(S, N, D)"));
  EXPECT_THAT(
      error_with(member("train", ElementType::i32, {3, 60, 4}, std::vector<std::int32_t>(720, 1))),
      HasSubstr("expected floats"));
  EXPECT_THAT(error_with(member("test", ElementType::f32, {3, 100, 2}, world.test)),
              HasSubstr("dimensions"));
  EXPECT_THAT(error_with(member("test", ElementType::f32, {3, 0, 4}, std::vector<float>{})),
              HasSubstr("(3, 0, 4)"));
  EXPECT_THAT(error_with(member("train_labels", ElementType::i64, {60, 3}, world.train_labels)),
              HasSubstr("shape (60, 3)"));
  std::vector<std::int64_t> labels = world.train_labels;
  labels[61] = 2;
  EXPECT_THAT(error_with(member("train_labels", ElementType::i64, {3, 60}, labels)),
              HasSubstr("scale 1, sample 1 has label 2"));
  EXPECT_THAT(error_with(member("train_labels", ElementType::i64, {3, 60},
                                std::vector<std::int64_t>(180, 1))),
              HasSubstr("both classes"));
  std::vector<float> broken = world.train;
  broken[245] = std::nanf("");
  const std::string error = error_with(member("train", ElementType::f32, {3, 60, 4}, broken));
  EXPECT_THAT(error, HasSubstr("train[1]"));
  EXPECT_THAT(error, HasSubstr("row 1"));
}

TEST_F(RobustCommand, RefusesWhatItCannotDo) {
  const std::string file = good().string();
  const auto error = [&](const Words& words) {
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({"robust", "score", "model.pt"}), HasSubstr("model.pt"));
  EXPECT_THAT(error({"robust", "score", folder_.path().string()}), HasSubstr("no networks found"));
  test::write_text(folder_ / "hub.json", R"([{"file": "gone.pt", "std": [0, 1, 1]}])");
  EXPECT_THAT(error({"robust", "score", folder_.path().string()}), HasSubstr("'std'"));
  EXPECT_THAT(error({"robust", "score"}), HasSubstr("--representations"));
  EXPECT_THAT(error({"robust", "probe", "model.pt", "--data", "dir"}), HasSubstr("model.pt"));
  const Words start = {"robust", "score", "--representations", file};
  const auto with = [&](const Words& options) {
    Words words = start;
    words.insert(words.end(), options.begin(), options.end());
    return error(words);
  };
  EXPECT_THAT(with({"--epsilon", "0.2,1"}), HasSubstr("less than 1"));
  EXPECT_THAT(with({"--epsilon", "-0.1"}), HasSubstr("--epsilon"));
  EXPECT_THAT(with({"--epsilon", "nan"}), HasSubstr("--epsilon"));
  EXPECT_THAT(with({"--epsilon", "0.2,0.2"}), HasSubstr("twice"));
  EXPECT_THAT(with({"--threshold", "1"}), HasSubstr("--threshold"));
  EXPECT_THAT(with({"--class-prior", "0"}), HasSubstr("--class-prior"));
  EXPECT_THAT(with({"--scales", "1,2"}), HasSubstr("--scales is for networks"));
  EXPECT_THAT(with({"--samples", "64"}), HasSubstr("--samples is for networks"));
  EXPECT_THAT(with({"--norm", "3"}), HasSubstr("--norm"));
  EXPECT_THAT(with({file}), HasSubstr("rename one"));
  EXPECT_THAT(with({"--memory-limit", "1000"}), HasSubstr("--memory-limit"));
}

TEST_F(RobustCommand, ListsFilesItLeftOut) {
  test::write_text(folder_ / "broken.npz", "PK");
  const CommandResult some =
      score({good().string(), (folder_ / "broken.npz").string(), "--json", "-"});
  EXPECT_EQ(some.exit_code, 1);
  const json all = json_of({0, some.out, some.err});
  EXPECT_EQ(all.at("models").size(), 1U);
  EXPECT_EQ(all.at("failed")[0].at("name"), "broken");
  EXPECT_THAT(some.err, HasSubstr("broken"));
  EXPECT_EQ(score({(folder_ / "broken.npz").string(), (folder_ / "none.npz").string()}).exit_code,
            2);
  EXPECT_EQ(score({(folder_ / "none.npz").string()}).exit_code, 2);
}

TEST_F(RobustCommand, IsNeverNanOnRepresentationsWithoutContent) {
  for (const double fill : {0.0, 0.1, 1e30, 1e-30}) {
    std::vector<Member> members = World(1.0, 1).members();
    members[1] = member("train", ElementType::f64, {3, 60, 4}, std::vector<double>(720, fill));
    const CommandResult result = score({write("flat.npz", members).string(), "--json", "-"});
    const json all = json_of(result);
    for (const json& one : all["models"][0]["scores"]) EXPECT_EQ(one["value"], 0.0) << fill;
    EXPECT_TRUE(all["models"][0]["best_epsilon"].is_null());
    EXPECT_THAT(result.err, HasSubstr("does not vary"));
  }
}

}  // namespace
}  // namespace assay
