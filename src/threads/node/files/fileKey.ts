import * as z from 'zod/mini';

/** What a file must still be for what was read of it to hold. */
export const FileKey = z.object({
  /** Absolute. */
  path: z.string(),
  sizeBytes: z.number(),
  /** Milliseconds since the epoch, with fractions; only ever compared for being the same. */
  mtimeMs: z.number(),
});
export type FileKey = z.infer<typeof FileKey>;

export function isSameFile(one: FileKey, other: FileKey): boolean {
  return one.path === other.path && one.sizeBytes === other.sizeBytes && one.mtimeMs === other.mtimeMs;
}
