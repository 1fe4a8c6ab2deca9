// Where every argument of a launch lies in the block of bytes that the launch call takes.
#ifndef ATTN_TARGET_SIDECAR_ARGUMENTLAYOUT_H
#define ATTN_TARGET_SIDECAR_ARGUMENTLAYOUT_H

#include "Parameters.h"
#include "attn/Target/AscendC/Signature.h"
#include "attn/Target/Sidecar/Sidecar.h"

namespace attn::sidecar {

/// The arguments with their offsets and the bytes of all of them. `needsSyncBase`: cores wait for
/// each other.
llvm::json::Object describeLayout(const ascendc::Signature &signature, const Parameters &parameters,
                                  Route route, bool needsSyncBase);

} // namespace attn::sidecar

#endif // ATTN_TARGET_SIDECAR_ARGUMENTLAYOUT_H
