/// JSON as text that is always valid: what is not UTF-8 is replaced, what is not finite becomes null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scree::io {

[[nodiscard]] inline std::string json_text(const nlohmann::json& value) { return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace scree::io
