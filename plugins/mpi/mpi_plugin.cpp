#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "assay/cluster.h"

// MPI behind the C interface of assay/cluster.h. Ranks exchange little and rarely, after minutes of
// work of their own, so waiting asks now and then (MPI's own waiting keeps a processor busy), and
// the longest message is cut into pieces whose size an int can say.
namespace {

constexpr int kBytes = 1;  // tags
constexpr int kCode = 2;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 30;
constexpr auto kPause = std::chrono::milliseconds(2);

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_here() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Errors of MPI end all ranks by themselves (MPI_ERRORS_ARE_FATAL), with MPI's own message.
std::int32_t start(AssayClusterPlace* place, char* error, std::size_t error_size) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    std::snprintf(error, error_size, "MPI could not be started in a program with threads");
    return 1;
  }
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  int local_size = 1;
  MPI_Comm_size(local, &local_size);
  MPI_Comm_free(&local);
  *place = {rank_here(), size_here(), local_size};
  return 0;
}

void wait_for(MPI_Request& request) {
  int done = 0;
  while (true) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(kPause);
  }
}

void send_all(const char* bytes, std::uint64_t size) {
  MPI_Send(&size, 1, MPI_UINT64_T, 0, kBytes, MPI_COMM_WORLD);
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    const auto piece = static_cast<int>(std::min(kPiece, size - at));
    MPI_Send(bytes + at, piece, MPI_BYTE, 0, kBytes, MPI_COMM_WORLD);
  }
}

std::vector<char> receive_all(int rank) {
  std::uint64_t size = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&size, 1, MPI_UINT64_T, rank, kBytes, MPI_COMM_WORLD, &request);
  wait_for(request);
  std::vector<char> bytes(size);
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    const auto piece = static_cast<int>(std::min(kPiece, size - at));
    MPI_Recv(bytes.data() + at, piece, MPI_BYTE, rank, kBytes, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return bytes;
}

std::int32_t gather(const char* bytes, std::size_t size, AssayClusterTake take, void* context,
                    char* error, std::size_t error_size) {
  try {
    if (rank_here() != 0) {
      send_all(bytes, size);
      return 0;
    }
    for (int rank = 1; rank < size_here(); ++rank) {
      const std::vector<char> theirs = receive_all(rank);
      take(context, rank, theirs.data(), theirs.size());
    }
    return 0;
  } catch (const std::exception& thrown) {  // memory
    std::snprintf(error, error_size, "%s", thrown.what());
    return 1;
  }
}

std::int32_t finish(std::int32_t code) {
  const int size = size_here();
  if (rank_here() == 0) {
    for (int rank = 1; rank < size; ++rank)
      MPI_Send(&code, 1, MPI_INT32_T, rank, kCode, MPI_COMM_WORLD);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&code, 1, MPI_INT32_T, 0, kCode, MPI_COMM_WORLD, &request);
    wait_for(request);
  }
  MPI_Finalize();
  return code;
}

void abort_all(std::int32_t code) { MPI_Abort(MPI_COMM_WORLD, code); }

const char* library_name() {
  static const std::string name = "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." +
                                  std::to_string(OMPI_MINOR_VERSION) + "." +
                                  std::to_string(OMPI_RELEASE_VERSION);
  return name.c_str();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const AssayCluster* assay_cluster() {
  static const AssayCluster cluster{
      ASSAY_CLUSTER_VERSION, library_name(), start, gather, finish, abort_all};
  return &cluster;
}
