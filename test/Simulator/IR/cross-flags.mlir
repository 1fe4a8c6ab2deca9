// Flags between the cores of a group: values, records, report and trace, on shaken schedules too.
// DEFINE: %{inputs} = --arg=values:1,-2,3,0,2:96x16xf16 --arg=values:2,1,-1,4,0,-3,1:80x16xf16 --arg=values:1,0,-1,2:80x16xf16
// DEFINE: %{all} = %{inputs} --arg=undef:96x16xf32 --arg=workspace --arg=workspace --blocks=2 --print=3
// RUN: attn-sim %S/Inputs/mixed.mlir %{all} --check-effects --record=%t.record | FileCheck %s
// RUN: FileCheck %s --check-prefix=RECORD < %t.record
// RUN: attn-sim %S/Inputs/mixed-composite.mlir %{all} --check-effects | FileCheck %s
// RUN: attn-sim %S/Inputs/mixed.mlir %{all} --jitter=1 --record=%t.shaken | FileCheck %s
// RUN: diff %t.record %t.shaken
// RUN: attn-sim %S/Inputs/mixed.mlir %{all} --trace=%t.txt --trace-cores=3 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LANES < %t.txt
// RUN: attn-sim %S/Inputs/mixed.mlir %{all} --trace=%t.json --trace-cores=3 | FileCheck %s
// RUN: FileCheck %s --check-prefix=ARROWS < %t.json
// RUN: %python -c "import json, sys; events = json.load(open(sys.argv[1]))['traceEvents']; print(sorted({e['ph'] for e in events}), len([e for e in events if e['ph'] == 's']) == len([e for e in events if e['ph'] == 'f']))" %t.json | FileCheck %s --check-prefix=FORM
// RUN: attn-sim %S/Inputs/mixed.mlir --arg=undef:3200x16xf16 --arg=undef:1600x16xf16 --arg=undef:1600x16xf16 --arg=undef:3200x16xf32 --arg=workspace --arg=workspace --blocks=20 --timing-only | FileCheck %s --check-prefix=TIME
// RUN: attn-sim %S/Inputs/mixed.mlir --arg=undef:3200x16xf16 --arg=undef:1600x16xf16 --arg=undef:1600x16xf16 --arg=undef:3200x16xf32 --arg=workspace --arg=workspace --blocks=20 --timing-only --every-iteration | FileCheck %s --check-prefix=TIME

// CHECK: blocks: 2 on 6 cores
// CHECK: ub: 1536 of 196352 bytes
// CHECK: l1: 3072 of 524032 bytes
// CHECK: pipe vector v: busy
// CHECK: pipe cube m: busy
// CHECK: vector cores: held {{[0-9.]+}}% by flags between cores
// CHECK: cube cores: held {{[0-9.]+}}% by flags between cores
// CHECK: hazards: 0
// CHECK: values of argument 3:
// CHECK-NEXT: {{^}}  1118 0 -1118 2236 1118 0 -1118 2236
// CHECK-NEXT: {{^}}  974 0 -974 1948 974
// CHECK-NEXT: {{^}}  1350 0 -1350 2700 1350

// RECORD:      kernel 0, block 0, cube core, pipe s
// RECORD:        cross_wait flag(1)
// RECORD:      kernel 0, block 0, cube core, pipe fix
// RECORD-NEXT:   fix_out f32 f32 rows(32, 16) pitch(16) room(32) reads l0c[0, 2048) writes argument 4[0, 2048)
// RECORD-NEXT:   cross_set flag(0)
// RECORD-NEXT:   fix_out f32 f32 rows(32, 16) pitch(16) room(32) reads l0c[0, 2048) writes argument 4[2048, 4096)
// RECORD:      kernel 0, block 0, vector core 1, pipe s
// RECORD-NEXT:   cross_wait flag(0)
// RECORD:      kernel 0, block 0, vector core 1, pipe mte2
// RECORD-NEXT:   copy_in f32 f32 rows(16, 16) pitch(16, 16) pad(0) reads argument 4[1024, 2048)
// RECORD:      kernel 0, block 0, vector core 1, pipe mte3
// RECORD-NEXT:   copy_out f16 f16 rows(16, 16) pitch(16, 16) pad(0) reads ub[1024, 1536) writes argument 5[512, 1024)
// RECORD-NEXT:   cross_set flag(1)

// LANES-DAG: core 0   fix    cross_set {{.*}}mixed.mlir:{{[0-9]+}}:{{[0-9]+}}  group 0, cube core
// LANES-DAG: core 1   s      cross_wait {{.*}}  group 0, vector core 0
// LANES-DAG: us  flag 0 from core 0 fix to core 2
// LANES-DAG: us  flag 1 from core 1 mte3 to core 0

// ARROWS-DAG: {"name":"process_name","ph":"M","pid":0,"args":{"name":"group 0, cube core"}}
// ARROWS-DAG: {"name":"flag 0","cat":"exchange","ph":"s","id":{{[0-9]+}},"ts":{{[0-9.]+}},"pid":0,"tid":"fix"}
// ARROWS-DAG: {"name":"flag 0","cat":"exchange","ph":"f","bp":"e","id":{{[0-9]+}},"ts":{{[0-9.]+}},"pid":1,"tid":"s"}
// FORM: ['M', 'X', 'f', 's'] True

// TIME: blocks: 20 on 60 cores
// TIME: predicted time: {{[0-9.]+}} us
