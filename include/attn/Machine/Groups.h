// What a group of cores is made of.
#ifndef ATTN_MACHINE_GROUPS_H
#define ATTN_MACHINE_GROUPS_H

namespace attn {

/// The vector cores beside the one cube core of a group. machine.md §2 [D].
constexpr int vectorCoresPerGroup = 2;

} // namespace attn

#endif // ATTN_MACHINE_GROUPS_H
