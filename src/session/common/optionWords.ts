// English words that reveal the meaning of option names. All expressions expect the result of `normalizeOptionName`.

export const allowingWords =
  /\b(?:allow|allows|allowed|approve|approved|accept|yes|ok|okay|proceed|continue|confirm|run|apply|grant|permit|trust|overwrite)\b/;

export const denyingWords =
  /\b(?:deny|denies|denied|reject|rejects|rejected|decline|refuse|cancel|skip|stop|abort|block|forbid|disallow)\b/;

/** Words that mean a denial, unless an allowing word precedes them. */
export const negatingWords = /\b(?:no|not|never|don't|keep)\b/;

/** Words for a scope beyond the current request. */
export const lastingScopeWords =
  /\b(?:always|all|any|every|everything|session|conversation|chat|project|workspace|repository|folder|directory|user|forever|remember|permanent|permanently|never|trust|bypass|auto|automatic|automatically|autopilot|yolo|from now on|for good|future)\b|\b(?:don't|do not|without|no longer) ask(?:ing)?\b/;

/** Words that limit an answer to the current request, unlike "only this session". */
export const onceWords =
  /\b(?:once|this time)\b|\b(?:just|only) this\b(?! (?:session|conversation|chat|project|workspace|repository|folder|directory|user)\b)/;

/** Matches phrases such as "don't ask again". They contain "don't" but are not a denial. */
export const notAskingWords = /\b(?:don't|do not|never|without|no longer) ask(?:ing)?\b(?: me)?(?: again)?/g;

/** Converts a name such as `AlwaysAllow` or `always_allow` to lower-case words, separated by single spaces. */
export function normalizeOptionName(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[_\s-]+/g, ' ')
    .replaceAll(/[’‘]/g, "'")
    .trim()
    .toLowerCase();
}
