export type ArchiveFormat = 'zip' | 'tar.gz' | 'tar.bz2' | 'program';

/** Returns the format of a download by the end of its address. Undefined for installers and unsupported archives. */
export function archiveFormatOf(address: string): ArchiveFormat | undefined {
  const path = (URL.parse(address)?.pathname ?? '').toLowerCase();
  if (path.endsWith('.zip')) return 'zip';
  if (/\.(?:tar\.gz|tgz)$/.test(path)) return 'tar.gz';
  if (/\.(?:tar\.bz2|tbz2)$/.test(path)) return 'tar.bz2';
  return /\.(?:dmg|pkg|deb|rpm|msi|appimage|tar|tar\.xz|txz|tar\.zst|7z|rar|gz|bz2|xz|zst)$/.test(path)
    ? undefined
    : 'program';
}
