// Links an object into an image, with LLVM's JIT linker: it lays out the sections at made-up
// addresses, and every word that depends on where they are is noted for whoever maps the image.
#include "ImageLinker.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/JITLink/aarch64.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::jitlink;
using namespace attn;
using namespace attn::jit;

namespace {

/// Where the image and the host's functions are while they are linked. They are so far apart that
/// no reference from one to the other can be shortened to a distance.
constexpr orc::ExecutorAddr imageBase(uint64_t(1) << 32);
constexpr uint64_t functionsBase = uint64_t(1) << 62;

/// Memory of a link: the bytes of the image.
class ImageMemory : public JITLinkMemoryManager {
public:
  explicit ImageMemory(host::Image &image) : image(image) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction onAllocated) override {
    BasicLayout layout(graph);
    uint64_t page = host::getPageBytes(), end = 0;
    for (auto &[group, segment] : layout.segments()) {
      if (segment.Alignment.value() > page)
        return onAllocated(createStringError("a section is aligned to more than a page"));
      uint64_t size = segment.ContentSize + segment.ZeroFillSize;
      segment.Addr = imageBase + end;
      orc::MemProt access = group.getMemProt();
      image.segments.push_back({end, size, (access & orc::MemProt::Write) != orc::MemProt::None,
                                (access & orc::MemProt::Exec) != orc::MemProt::None});
      end = alignTo(end + size, page);
    }
    image.bytes.assign(end, '\0');
    for (auto &[group, segment] : layout.segments())
      segment.WorkingMem = image.bytes.data() + (segment.Addr - imageBase);
    if (Error error = layout.apply())
      return onAllocated(std::move(error));
    onAllocated(std::make_unique<Allocation>());
  }

  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    done(Error::success());
  }

private:
  /// Nothing is left to do: the bytes belong to the image.
  struct Allocation : InFlightAlloc {
    void abandon(OnAbandonedFunction done) override { done(Error::success()); }
    void finalize(OnFinalizedFunction done) override { done(FinalizedAlloc(imageBase)); }
  };

  host::Image &image;
};

/// Whether a fixup writes an address of 64 bits.
bool isAddress(const LinkGraph &graph, Edge::Kind kind) {
  return graph.getTargetTriple().isAArch64() ? kind == aarch64::Pointer64
                                             : kind == x86_64::Pointer64;
}

/// Whether a fixup depends on where the image is, and cannot be noted as an address.
bool isTiedToPlace(const LinkGraph &graph, Edge::Kind kind) {
  if (graph.getTargetTriple().isAArch64())
    return kind == aarch64::Pointer32 || kind == aarch64::MoveWide16 ||
           kind == aarch64::Pointer64Authenticated;
  return kind == x86_64::Pointer32 || kind == x86_64::Pointer32Signed ||
         kind == x86_64::Pointer16 || kind == x86_64::Pointer8;
}

class ImageContext : public JITLinkContext {
public:
  ImageContext(LinkedObject &linked, Error &failure)
      : JITLinkContext(nullptr), linked(linked), failure(failure), memory(linked.image) {}

  JITLinkMemoryManager &getMemoryManager() override { return memory; }

  void notifyFailed(Error error) override {
    failure = joinErrors(std::move(failure), std::move(error));
  }

  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> continuation) override {
    AsyncLookupResult found;
    for (const auto &[name, flags] : symbols) {
      if (!host::findFunction(*name))
        return continuation->run(
            createStringError("the kernel calls '" + *name + "', which the host does not offer"));
      orc::ExecutorAddr address(functionsBase + 16 * found.size());
      found[name] = {address, JITSymbolFlags::Exported};
    }
    continuation->run(std::move(found));
  }

  Error notifyResolved(LinkGraph &graph) override {
    for (Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName())
        linked.symbols[*symbol->getName()] = symbol->getAddress() - imageBase;
    return Error::success();
  }

  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override {
    allocation.release();
  }

  Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
    passes.PostFixupPasses.push_back([this](LinkGraph &graph) { return noteAddresses(graph); });
    return Error::success();
  }

private:
  /// Notes the words that hold addresses. Everything else must be a distance within the image.
  Error noteAddresses(LinkGraph &graph) {
    for (Block *block : graph.blocks()) {
      if (block->getSection().getMemLifetime() == orc::MemLifetime::NoAlloc)
        continue;
      for (const Edge &edge : block->edges()) {
        if (!edge.isRelocation())
          continue;
        const Symbol &target = edge.getTarget();
        bool isAddressWord = isAddress(graph, edge.getKind());
        if (isTiedToPlace(graph, edge.getKind()) || (!isAddressWord && !target.isDefined()))
          return createStringError(Twine("the code is tied to its place by a fixup ") +
                                   graph.getEdgeKindName(edge.getKind()));
        if (isAddressWord)
          noteAddress(block->getFixupAddress(edge) - imageBase, target, edge.getAddend());
      }
    }
    return Error::success();
  }

  void noteAddress(uint64_t offset, const Symbol &target, int64_t addend) {
    if (target.isDefined())
      linked.image.addresses.push_back({offset, "", target.getAddress() + addend - imageBase});
    else
      linked.image.addresses.push_back({offset, (*target.getName()).str(), 0});
  }

  LinkedObject &linked;
  Error &failure;
  ImageMemory memory;
};

} // namespace

Expected<LinkedObject> attn::jit::linkImage(MemoryBufferRef object) {
  auto names = std::make_shared<orc::SymbolStringPool>(); // outlives the graph and all of the link
  auto graph = createLinkGraphFromObject(object, names);
  if (!graph)
    return graph.takeError();
  LinkedObject linked;
  Error failure = Error::success();
  link(std::move(*graph), std::make_unique<ImageContext>(linked, failure));
  if (failure)
    return std::move(failure);
  return linked;
}
