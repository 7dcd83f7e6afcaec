/** What Amp itself reads of a thread's file; a larger one is listed, not read. */
export const maxThreadBytes = 52_428_800;

export function tooLargeMessage(sizeBytes: number): string {
  const mebibytes = (sizeBytes / 1024 / 1024).toFixed(0);
  return `The file is too large to be read: ${mebibytes} MiB, and the limit is 50 MiB.`;
}
