const units = ['kB', 'MB', 'GB'];

/** Formats a size for display, for example `312 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const exponent = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** exponent;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[exponent - 1] ?? ''}`;
}
