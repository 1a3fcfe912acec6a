extern "C" __global__ void k(const float* a, float* o, long N) { o[0] = undeclared; }
