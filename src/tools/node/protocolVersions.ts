/** Supported versions of MCP, newest first. The features used here are the same in all of them. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const firstWithoutBatches = '2025-06-18';

/** Whether a version has no batches. Versions are dates, so their order is that of their texts. */
export function hasNoBatches(version: string | undefined): boolean {
  return version !== undefined && version >= firstWithoutBatches;
}

export const noBatchesText = 'This version of the protocol has no batches.';
