import * as z from 'zod';
import type { PackedItems } from './packedItems';

/** Rejects shared memory, which the worker could change after the check. */
const isUnshared = (buffer: ArrayBufferLike): boolean => buffer instanceof ArrayBuffer;

export const packedItemsSchema: z.ZodType<PackedItems> = z.object({
  ranges: z.custom<PackedItems['ranges']>((value) => value instanceof Float64Array && isUnshared(value.buffer)),
  texts: z.custom<PackedItems['texts']>((value) => value instanceof Int32Array && isUnshared(value.buffer)),
  text: z.string(),
  notes: z.array(z.string().max(1_000)).max(10),
});
