#include <utility>

#include "assay/digest.h"
#include "assay/images.h"
#include "images/decode.h"

namespace assay {
namespace {

class FileImages final : public ImageSource {
 public:
  explicit FileImages(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}

  Index count() const override { return static_cast<Index>(files_.size()); }
  Image read(Index i) const override { return read_image(file(i)); }
  std::string name(Index i) const override { return file(i).string(); }
  std::string digest(Index i) const override { return file_digest(file(i)); }

 private:
  const std::filesystem::path& file(Index i) const { return files_[static_cast<std::size_t>(i)]; }

  std::vector<std::filesystem::path> files_;
};

class SubsetImages final : public ImageSource {
 public:
  SubsetImages(Images all, std::vector<Index> chosen)
      : all_(std::move(all)), chosen_(std::move(chosen)) {}

  Index count() const override { return static_cast<Index>(chosen_.size()); }
  Image read(Index i) const override { return all_->read(original(i)); }
  std::string name(Index i) const override { return all_->name(original(i)); }
  std::string digest(Index i) const override { return all_->digest(original(i)); }

 private:
  Index original(Index i) const { return chosen_[static_cast<std::size_t>(i)]; }

  Images all_;
  std::vector<Index> chosen_;
};

}  // namespace

Images images_of_files(std::vector<std::filesystem::path> files) {
  return std::make_shared<FileImages>(std::move(files));
}

Images images_of_subset(Images all, std::vector<Index> chosen) {
  return std::make_shared<SubsetImages>(std::move(all), std::move(chosen));
}

}  // namespace assay
