import type { TextBeforeAndAfter } from './protection';

/** Maximum length of a package.json to compare, in UTF-16 units. Changes of longer ones need approval. */
const maxLength = 1024 * 1024;

/**
 * Members of a package.json that neither run, install nor configure a program. Changes of all others need approval,
 * because any tool can keep its configuration here, including modules to load. `main` and `exports` only name the
 * project's own code.
 */
const harmlessMembers: ReadonlySet<string> = new Set(
  `name displayName version description keywords categories author contributors maintainers publisher license licenses
  homepage repository bugs funding private icon galleryBanner badges preview qna type main module browser exports imports
  types typings typesVersions sideEffects files man engines os cpu libc activationEvents contributes capabilities
  extensionKind`.split(/\s+/),
);

type Members = ReadonlyMap<string, string>;

/** Whether a change of a package.json can affect what runs. True if deleted, invalid or with duplicate keys. */
export function canAffectWhatRuns({ before, after }: TextBeforeAndAfter): boolean {
  if (after === undefined) return true;
  const old = before === undefined ? new Map<string, string>() : sensitiveMembers(before);
  const next = sensitiveMembers(after);
  if (!old || !next) return true;
  return old.size !== next.size || [...next].some(([key, value]) => old.get(key) !== value);
}

/** Returns the members that can affect what runs, as JSON. Undefined for invalid JSON or duplicate keys. */
function sensitiveMembers(text: string): Members | undefined {
  if (text.length > maxLength) return undefined;
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    if (hasRepeatedKey(json)) return undefined;
    const members: [string, unknown][] = Object.entries(parsed);
    return new Map(
      members.filter(([key]) => !harmlessMembers.has(key)).map(([key, value]) => [key, JSON.stringify(value)]),
    );
  } catch {
    return undefined;
  }
}

/** Whether an object has a duplicate key, because parsers disagree on its value. Expects valid JSON. */
function hasRepeatedKey(json: string): boolean {
  /** Keys of each enclosing object; undefined for an array. */
  const enclosingKeys: (Set<string> | undefined)[] = [];
  for (const [token, string = '', colon] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[[\]{}]/g)) {
    if (token === '{') enclosingKeys.push(new Set());
    else if (token === '[') enclosingKeys.push(undefined);
    else if (token === '}' || token === ']') enclosingKeys.pop();
    if (colon === undefined) continue;
    const keys = enclosingKeys.at(-1);
    const key = String(JSON.parse(string));
    if (keys?.has(key)) return true;
    keys?.add(key);
  }
  return false;
}
