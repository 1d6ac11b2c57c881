#pragma once

#include <optional>
#include <string>

#include "assay/cluster.h"
#include "assay/types.h"

namespace assay {

// What the environment says of a launcher that started this process among others (mpirun, srun
// --mpi=pmix, PMI). A plain batch script of Slurm has none of it. ASSAY_MPI=off: as if there were
// none, for a program that is itself run by MPI and calls this one.
struct Launched {
  std::optional<Index> size;  // processes, where it is told
  bool first = true;          // rank 0, or not known
};

// Nothing where this process was started alone, or as the only one.
std::optional<Launched> launched();

// The plug-in that speaks MPI, loaded and started. Throws Error when it is not there, does not
// start, or sees one process where the launcher started several.
struct Cluster {
  const AssayCluster* calls = nullptr;
  AssayClusterPlace place = {};
};
Cluster join_cluster(const Launched& launch);

}  // namespace assay
