// Reads the signatures of functions in the vendor's IR.
#include "HivmText.h"
#include <vector>

using namespace attn::standin;

namespace {

bool startsWith(const std::string &text, const char *beginning) {
  return text.rfind(beginning, 0) == 0;
}

/// What is between the bracket before `begin` and the one that closes it, split at its commas;
/// nothing where none closes it.
std::vector<std::string> splitArguments(const std::string &text, size_t begin) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    char letter = text[i];
    if (depth == 0 && letter == ')')
      return parts.size() == 1 && parts[0].empty() ? std::vector<std::string>() : parts;
    if (depth == 0 && letter == ',') {
      parts.emplace_back();
      continue;
    }
    if (letter == '(' || letter == '<' || letter == '[' || letter == '{')
      ++depth;
    if (letter == ')' || letter == '>' || letter == ']' || letter == '}')
      --depth;
    parts.back() += letter;
  }
  return {};
}

/// The bytes of a value of a type; 0 for one that no kernel takes.
size_t countBytes(const std::string &type) {
  if (startsWith(type, "memref<") || startsWith(type, "i64"))
    return 8;
  return startsWith(type, "f32") || startsWith(type, "i32") ? 4 : 0;
}

} // namespace

bool attn::standin::isHivmText(const std::string &object) {
  return startsWith(object, "module") && object.find("#hacc.") != std::string::npos;
}

Status attn::standin::readHivmArguments(const std::string &text, const std::string &name,
                                        HivmArguments &arguments) {
  std::string beginning = "func.func @" + name + "(";
  size_t found = text.find(beginning);
  // A kernel of cube and vector cores has two functions, with the same arguments.
  if (found == std::string::npos) {
    beginning = "func.func @" + name + "_mix_aiv(";
    found = text.find(beginning);
  }
  if (found == std::string::npos)
    return {InvalidParameter, "the binary has no kernel " + name};
  for (const std::string &argument : splitArguments(text, found + beginning.size())) {
    size_t colon = argument.find(": ");
    size_t bytes = colon == std::string::npos ? 0 : countBytes(argument.substr(colon + 2));
    if (bytes == 0)
      return {InvalidParameter, name + " takes an argument that is not known here:" + argument};
    arguments.bytes = (arguments.bytes + bytes - 1) / bytes * bytes;
    if (argument.find("#hacc.arg_type<ffts_base_address>") != std::string::npos)
      arguments.syncBase = arguments.bytes;
    arguments.bytes += bytes;
  }
  return {};
}
