extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    while (((volatile float*)o)[0] != 42.0f) {}
}
