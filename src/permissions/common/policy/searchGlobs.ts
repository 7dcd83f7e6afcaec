// Which globs surely stay in the folder that is searched. Agents use many kinds of globs and shells, so everything
// that one of them could expand to something else is refused.

/** Maximum number of globs that braces may expand to. */
const maxExpansions = 64;
const maxLength = 1_000;
/** Some shells and libraries find `..` with dots and wildcards such as `.*`, `?.` and `??`, but none with these few. */
const couldBeParent = /^(?!(?:\.|\?|\*+|\*\.\*)$)[.*?]+$/;

/** Letters and digits of any language, and characters that mean themselves, or `*` and `?`, in all kinds of globs. */
const plainGlob = /^[\p{L}\p{N}\p{M} _.,:=+@/*?{}-]*$/u;
/** Characters that separate globs in a list of some tools. */
const separators = /[ ,:]+/;

/** Whether a glob can only find files in the folder that is searched. */
export function staysInFolder(glob: string): boolean {
  return expandedGlobs(glob) !== undefined;
}

/**
 * Expands the braces of a glob that stays in its folder. Undefined if it could leave the folder, or could be understood in
 * another way.
 */
function expandedGlobs(glob: string): readonly string[] | undefined {
  // Many tools take `!` at the beginning as an exclusion.
  const text = glob.startsWith('!') ? glob.slice(1) : glob;
  if (text.length > maxLength || !plainGlob.test(text) || text.normalize('NFKC') !== text.normalize('NFC'))
    return undefined;
  const expansions = expandBraces(text);
  return expansions?.every(staysInside) === true ? expansions : undefined;
}

/**
 * Whether free text that is searched for is no path that leaves the folder. Tools that find files take such text for a
 * name.
 */
export function isPlainQuery(text: string): boolean {
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text) || text.startsWith('-')) return false;
  const isLikePath = /[/\\{}~$%]|\.\.|^\W*$/.test(text);
  return !isLikePath || staysInFolder(text);
}

function staysInside(glob: string): boolean {
  return glob.split(separators).every((one) => {
    // A program could take it for an absolute path, one of its options, or the path of a command.
    if (/^[/=-]/.test(one)) return false;
    return !one.split('/').some((part) => couldBeParent.test(part));
  });
}

/** The folders and files that a glob names before its first wildcard. */
export function namedPathsOf(glob: string): readonly string[] {
  return (expandedGlobs(glob) ?? []).flatMap((one) => {
    const parts = one.split('/');
    const end = parts.findIndex((part) => /[*?]/.test(part));
    const named = parts.slice(0, end < 0 ? parts.length : end).join('/');
    return named === '' ? [] : [named];
  });
}

/** Expands lists of alternatives that contain no further braces. Undefined for all other braces. */
function expandBraces(glob: string): readonly string[] | undefined {
  const [start = '', ...parts] = glob.split('{');
  if (start.includes('}')) return undefined;
  let expansions: readonly string[] = [start];
  for (const part of parts) {
    const { list, rest } = /^(?<list>[^}]*)\}(?<rest>[^}]*)$/.exec(part)?.groups ?? {};
    // A single alternative is text for some tools and a list for others, and `..` is a range.
    if (list === undefined || rest === undefined || !list.includes(',') || list.includes('..')) return undefined;
    const alternatives = list.split(',');
    expansions = expansions.flatMap((before) => alternatives.map((one) => `${before}${one}${rest}`));
    if (expansions.length > maxExpansions) return undefined;
  }
  return expansions;
}
