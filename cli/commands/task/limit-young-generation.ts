import { setFlagsFromString } from 'node:v8'

/**
 * Limits the heap of a task. Most objects of a task are short-lived, and V8 would let their part of the heap, the young
 * generation, grow to over 100 MB without running faster.
 */
export const limitYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1')
