import * as z from 'zod/mini';

/** Identifies one version of a file. Data from the file is valid as long as this is unchanged. */
export const FileVersionKey = z.object({
  /** Absolute path of the file. */
  path: z.string(),
  sizeBytes: z.number(),
  /** Modification time in milliseconds since the epoch, with fractions. Only compared for equality. */
  mtimeMs: z.number(),
});
export type FileVersionKey = z.infer<typeof FileVersionKey>;

export function isSameFileVersion(one: FileVersionKey, other: FileVersionKey): boolean {
  return one.path === other.path && one.sizeBytes === other.sizeBytes && one.mtimeMs === other.mtimeMs;
}
