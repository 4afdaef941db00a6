// The body of an answer, as it arrives.

/**
 * Bytes in one piece of memory. Each chunk of its own holds the 64 KiB that it arrived in, so that a body sent byte by byte would
 * take hundreds of times its size.
 */
export function createGrowing(maxBytes: number) {
  let [memory, size] = [Buffer.alloc(0), 0];
  return {
    /** False where only a part of the chunk fitted. */
    append(chunk: Uint8Array): boolean {
      const fitting = Math.min(chunk.length, maxBytes - size);
      if (size + fitting > memory.length) {
        const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(2 * memory.length, size + fitting)));
        memory.copy(grown, 0, 0, size);
        memory = grown;
      }
      memory.set(chunk.subarray(0, fitting), size);
      size += fitting;
      return fitting === chunk.length;
    },
    read: () => memory.subarray(0, size),
  };
}
