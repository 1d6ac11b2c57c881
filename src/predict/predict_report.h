#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/predict.h"
#include "report/screen.h"

namespace assay {

// The first `rows` predictions: for classes the likeliest one, else every column.
std::string predictions_table(const PredictResult& result, Index rows, const Screen& screen);

// How right the predictions are, in one line; `quality` must be there.
std::string quality_text(const PredictResult& result);

// What the numbers of some columns do not know.
std::vector<std::string> predict_notes(const PredictResult& result);

// The rows of the vocabulary nearest to each class or target.
std::string anchors_table(const PredictResult& result);

// All predictions: row, column, mean, sd.
std::string predictions_csv(const PredictResult& result);
nlohmann::ordered_json predictions_json(const PredictResult& result);

}  // namespace assay
