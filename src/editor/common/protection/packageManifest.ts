import type { ContentChange } from './protection';

/** UTF-16 units. Real ones have a thousandth of it. */
const maxLength = 1024 * 1024;

/**
 * Members of a package.json by which nothing is started, nothing installed and no program configured. All others count:
 * tools of any kind keep their configuration here, and it may name modules that they load. What the project's own code is
 * (`main`, `exports`) is the project's own code, wherever it is named.
 */
const harmless: ReadonlySet<string> = new Set([
  'name',
  'displayName',
  'version',
  'description',
  'keywords',
  'categories',
  'author',
  'contributors',
  'maintainers',
  'publisher',
  'license',
  'licenses',
  'homepage',
  'repository',
  'bugs',
  'funding',
  'private',
  'icon',
  'galleryBanner',
  'badges',
  'preview',
  'qna',
  'type',
  'main',
  'module',
  'browser',
  'exports',
  'imports',
  'types',
  'typings',
  'typesVersions',
  'sideEffects',
  'files',
  'man',
  'engines',
  'os',
  'cpu',
  'libc',
  'activationEvents',
  'contributes',
  'capabilities',
  'extensionKind',
]);

type Members = ReadonlyMap<string, string>;

/**
 * Whether a change of a package.json is about what runs. What cannot be read, or not in one way only (a key that is there
 * twice), counts as changed; so does a manifest that is taken away.
 */
export function changesWhatRuns({ before, after }: ContentChange): boolean {
  if (after === undefined) return true;
  const old = before === undefined ? new Map<string, string>() : runningMembers(before);
  const next = runningMembers(after);
  if (!old || !next) return true;
  return old.size !== next.size || [...next].some(([key, value]) => old.get(key) !== value);
}

/** Each member that counts, with its value as JSON; undefined for a text that cannot be read in one way. */
function runningMembers(text: string): Members | undefined {
  if (text.length > maxLength) return undefined;
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    if (hasRepeatedKey(json)) return undefined;
    const members: [string, unknown][] = Object.entries(parsed);
    return new Map(members.filter(([key]) => !harmless.has(key)).map(([key, value]) => [key, JSON.stringify(value)]));
  } catch {
    return undefined;
  }
}

/** Of valid JSON. Parsers differ in which of two members with one key they take. */
function hasRepeatedKey(json: string): boolean {
  /** For each object or array that is open: the keys so far; undefined in an array. */
  const open: (Set<string> | undefined)[] = [];
  for (const [token, string = '', colon] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    if (colon === undefined) continue;
    const keys = open.at(-1);
    const key = String(JSON.parse(string));
    if (keys?.has(key)) return true;
    keys?.add(key);
  }
  return false;
}
