import type { LeftOutItem } from '../../common/checkpoint';

/** Returns the folders that Git could not read, from what it has printed. */
export function unreadableFolders(errors: string): LeftOutItem[] {
  const pattern = /^warning: could not open directory '(.+?)\/?': (?!No such file)/gm;
  return [...errors.matchAll(pattern)].map(([, name = '']) => ({ path: `${name}/`, reason: 'unreadable' }));
}

/** Returns the file that has made `git update-index` fail, from what it has printed. `prefix`: its folder, as Git names it. */
export function nameOfUnreadableFile(errors: string, prefix: string): string | undefined {
  const name = /^fatal: Unable to process path ([^]*?)\n?$/m.exec(errors)?.[1];
  return name?.startsWith(prefix) === true ? name.slice(prefix.length) : undefined;
}
