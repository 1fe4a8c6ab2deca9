// Shows the result of a run: the text report and the trace for Chrome and Perfetto.
#include "attn/Machine/Costs.h"
#include "attn/Simulator/Model/Simulator.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

int64_t SimulationResult::getBytesUsed(LocalMemory memory) const {
  for (const MemoryUse &use : memories)
    if (use.memory == getFacts(memory).name)
      return use.bytesUsed;
  return 0;
}

static void printModel(const Chip &chip, raw_ostream &stream) {
  stream << "model:\n";
  stream << llvm::formatv(
      "  {0}: {1} MHz, {2} cube and {3} vector cores, L2 {4} MiB, HBM {5} GB/s nominal, {6} GB/s "
      "reached\n",
      chip.name, chip.clockHz / 1000000, chip.cubeCores, chip.vectorCores, chip.l2Bytes >> 20,
      chip.hbmBytesPerSecond / 1000000000, chip.hbmPoolBytesPerSecond / 1000000000);
  for (const CostFact &fact : getFacts(Costs()))
    stream << llvm::formatv("  {0} = {1} {2} ({3})\n", fact.name, fact.value, fact.unit,
                            fact.source);
  stream << "  vector instructions: costs.md §6\n";
  for (StringRef error : getKnownErrors())
    stream << "  " << error << "\n";
}

void simulator::printReport(const SimulationResult &result, const Chip &chip, raw_ostream &stream) {
  stream << llvm::formatv("blocks: {0} on {1} cores\n", result.blocks, result.cores);
  stream << llvm::formatv("instructions: {0}\n", result.instructions);
  for (const MemoryUse &use : result.memories)
    stream << llvm::formatv("{0}: {1} of {2} bytes\n", use.memory, use.bytesUsed, use.bytes);
  for (const ArrayTraffic &traffic : result.traffic)
    stream << llvm::formatv("gm {0}: read {1}, written {2} bytes\n", traffic.name,
                            traffic.bytesRead, traffic.bytesWritten);
  stream << llvm::formatv("gm: read {0}, written {1} bytes\n", result.bytesRead,
                          result.bytesWritten);
  stream << llvm::formatv("hbm: read {0}, written {1} bytes\n", result.hbmBytesRead,
                          result.hbmBytesWritten);
  if (result.productOperations > 0)
    stream << llvm::formatv("products: {0} operations\n", result.productOperations);
  for (const PipeUse &pipe : result.pipes)
    stream << llvm::formatv("pipe {0}: busy {1:P1}\n", pipe.pipe, pipe.busyShare);
  for (const HeldUse &use : result.held)
    stream << llvm::formatv("{0} cores: held {1:P1} by flags between cores\n", use.cores,
                            use.share);
  stream << llvm::formatv("device: {0:F1} cycles\n", result.cycles);
  stream << llvm::formatv("predicted time: {0:F2} us\n", result.microseconds);
  stream << llvm::formatv("roofline: {0:F2} us, {1:P1} of it reached\n",
                          result.rooflineMicroseconds, result.rooflineShare);
  stream << llvm::formatv("hazards: {0}\n", result.hazards.size());
  printModel(chip, stream);
}

static std::string showPlace(Location location) {
  SourcePlace place = getSourcePlace(location);
  return llvm::formatv("{0}:{1}:{2}", place.file, place.line, place.column);
}

static void writeTraceText(const SimulationResult &result, raw_ostream &stream) {
  SmallVector<const TraceEvent *> events =
      llvm::map_to_vector(result.trace, [](const TraceEvent &event) { return &event; });
  llvm::stable_sort(events, [](const TraceEvent *one, const TraceEvent *other) {
    return one->beginMicroseconds < other->beginMicroseconds;
  });
  for (const TraceEvent *event : events)
    stream << llvm::formatv("{0,10:F3} to {1,10:F3} us  core {2,-3} {3,-6} {4,-12} {5}{6}{7}\n",
                            event->beginMicroseconds, event->endMicroseconds, event->core,
                            event->pipe, event->name, showPlace(event->location),
                            event->coreName.empty() ? "" : "  ", event->coreName);
  for (const TraceArrow &arrow : result.arrows)
    stream << llvm::formatv("{0,10:F3} to {1,10:F3} us  {2} from core {3} {4} to core {5}\n",
                            arrow.fromMicroseconds, arrow.toMicroseconds, arrow.name,
                            arrow.fromCore, arrow.fromPipe, arrow.toCore);
}

/// Cores of groups by their names.
static void writeCoreNames(const SimulationResult &result, llvm::json::OStream &json) {
  llvm::SmallSet<int64_t, 8> named;
  for (const TraceEvent &event : result.trace)
    if (!event.coreName.empty() && named.insert(event.core).second)
      json.object([&] {
        json.attribute("name", "process_name");
        json.attribute("ph", "M");
        json.attribute("pid", event.core);
        json.attributeObject("args", [&] { json.attribute("name", event.coreName); });
      });
}

/// Flags between cores as arrows, from the set to the end of the wait.
static void writeArrows(const SimulationResult &result, llvm::json::OStream &json) {
  auto writeEnd = [&](const TraceArrow &arrow, size_t id, bool isBegin) {
    json.object([&] {
      json.attribute("name", arrow.name);
      json.attribute("cat", "exchange");
      json.attribute("ph", isBegin ? "s" : "f");
      if (!isBegin)
        json.attribute("bp", "e");
      json.attribute("id", static_cast<int64_t>(id));
      json.attribute("ts", isBegin ? arrow.fromMicroseconds : arrow.toMicroseconds);
      json.attribute("pid", isBegin ? arrow.fromCore : arrow.toCore);
      json.attribute("tid", isBegin ? StringRef(arrow.fromPipe) : StringRef("s"));
    });
  };
  for (auto [id, arrow] : llvm::enumerate(result.arrows)) {
    writeEnd(arrow, id, /*isBegin=*/true);
    writeEnd(arrow, id, /*isBegin=*/false);
  }
}

void simulator::writeTrace(const SimulationResult &result, StringRef file, raw_ostream &stream) {
  if (file.ends_with(".txt"))
    return writeTraceText(result, stream);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (const TraceEvent &event : result.trace)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("cat", event.pipe);
          json.attribute("ph", "X");
          json.attribute("ts", event.beginMicroseconds);
          json.attribute("dur", event.endMicroseconds - event.beginMicroseconds);
          json.attribute("pid", event.core);
          json.attribute("tid", event.pipe);
          json.attributeObject("args",
                               [&] { json.attribute("source", showPlace(event.location)); });
        });
      writeCoreNames(result, json);
      writeArrows(result, json);
    });
  });
}
