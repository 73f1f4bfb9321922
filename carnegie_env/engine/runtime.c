/* What the loops call besides the C library, in place of Numba's runtime: the memory of small arrays. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
