/* What the loops need besides the C library: the memory of small arrays, in place of Numba's runtime, and the choice
 * of their variant. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

enum { ALIGNMENT = 64 };

/* Before an array's elements; no other thread sees the array. */
typedef struct {
    int64_t references;
    void *allocated;
} memory;

void *NRT_MemInfo_alloc_aligned(int64_t size, uint32_t alignment) {
    (void)alignment;
    char *allocated = malloc((size_t)size + 2 * ALIGNMENT);
    if (allocated == NULL) return NULL;
    memory *made = (memory *)(((uintptr_t)allocated + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    made->references = 1;
    made->allocated = allocated;
    return made;
}

void *NRT_MemInfo_alloc(int64_t size) { return NRT_MemInfo_alloc_aligned(size, ALIGNMENT); }

void *NRT_MemInfo_data_fast(memory *made) { return (char *)made + ALIGNMENT; }

void NRT_incref(memory *made) {
    if (made != NULL) made->references++;
}

void NRT_decref(memory *made) {
    if (made != NULL && --made->references == 0) free(made->allocated);
}

void *NRT_Allocate(int64_t size) { return malloc((size_t)size); }

void NRT_Free(void *made) { free(made); }

/* An error's message; the loop's status also tells that there was one. */
void raise_error(const void *kind, const char *message) {
    (void)kind;
    (void)message;
}

/* The strides of a C-contiguous array in another shape; 0 if it is not contiguous. */
int32_t numba_attempt_nocopy_reshape(int64_t dims, const int64_t *shape, const int64_t *strides, int64_t new_dims,
                                     const int64_t *new_shape, int64_t *new_strides, int64_t item, int32_t fortran) {
    int64_t expected = item;
    if (fortran) return 0;
    for (int64_t k = dims - 1; k >= 0; k--) {
        if (shape[k] != 1 && strides[k] != expected) return 0;
        expected *= shape[k];
    }
    expected = item;
    for (int64_t k = new_dims - 1; k >= 0; k--) {
        new_strides[k] = expected;
        expected *= new_shape[k];
    }
    return 1;
}

/* The best variant that this processor runs, as TARGETS in build.py counts them; -1 if it runs none. */
int processor_level(void) {
#ifdef __x86_64__
    enum {
        V2_C1 = 1 << 0 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23, /* SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT */
        V3_C1 = 1 << 12 | 1 << 22 | 1 << 27 | 1 << 28 | 1 << 29,         /* FMA, MOVBE, OSXSAVE, AVX, F16C */
        V3_B7 = 1 << 3 | 1 << 5 | 1 << 8,                                /* BMI1, AVX2, BMI2 */
        V3_CX = 1 << 5,                                                  /* LZCNT */
        V3_STATE = 1 << 1 | 1 << 2                                       /* the system saves SSE and AVX registers */
    };
    unsigned a, b, c1 = 0, d, b7 = 0, c, cx = 0;
    __get_cpuid(1, &a, &b, &c1, &d);
    if ((c1 & V2_C1) != V2_C1) return -1;
    __get_cpuid_count(7, 0, &a, &b7, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &cx, &d);
    if ((c1 & V3_C1) != V3_C1 || (b7 & V3_B7) != V3_B7 || (cx & V3_CX) != V3_CX) return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & V3_STATE) == V3_STATE;
#else
    return 0;
#endif
}
