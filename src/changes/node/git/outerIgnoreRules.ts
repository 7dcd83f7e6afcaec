import { readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { OuterIgnoreRules } from '../../common/checkpoint';
import type { UserRepository, UserSettings } from './userRepository';

/** Maximum size of a file with ignore patterns, in bytes. Larger files are ignored. */
const maxExcludesBytes = 1024 * 1024;

/** Reads the ignore patterns that apply to the folder but are not in one of its `.gitignore` files. */
export async function readOuterRules(
  folder: string,
  user: UserRepository | undefined,
  settings: UserSettings,
): Promise<OuterIgnoreRules> {
  const [usersOwn, ofRepository] = await Promise.all([readPatterns(settings.excludesFile), patternsOf(user)]);
  const below = user
    ? path
        .relative(user.top, folder)
        .split(path.sep)
        .filter((name) => name !== '')
    : [];
  const places = below.map((_, depth) => path.join(user?.top ?? folder, ...below.slice(0, depth), '.gitignore'));
  return {
    // Later patterns win, as those of the repository do.
    patterns: `${usersOwn}\n${ofRepository}`,
    prefix: below.map((name) => `${name}/`).join(''),
    parents: await Promise.all(places.map(readPatterns)),
  };
}

export function isSameRules(one: OuterIgnoreRules, other: OuterIgnoreRules): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the patterns in `info/exclude` of the user's repository. */
export async function patternsOf(user: UserRepository | undefined): Promise<string> {
  return user ? await readPatterns(user.infoExclude) : '';
}

/** Ignores the user's ignore patterns unless they are a small regular file. A pipe, for example, would block Git. */
export async function withSafeExcludes(settings: UserSettings): Promise<UserSettings> {
  return (await isSmallFile(settings.excludesFile)) ? settings : { ...settings, excludesFile: '/dev/null' };
}

async function readPatterns(file: string): Promise<string> {
  return (await isSmallFile(file)) ? await readFile(file, 'utf8').catch(() => '') : '';
}

async function isSmallFile(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => undefined);
  return info?.isFile() === true && info.size <= maxExcludesBytes;
}
