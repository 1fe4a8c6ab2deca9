// attn-opt: passes, named pipelines and emission on the command line.
#include "attn/Pipelines/Driver.h"

int main(int argc, char **argv) { return attn::runOptDriver(argc, argv); }
