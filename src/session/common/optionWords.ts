// The words by which the names of options tell what they do. Only English is understood. All are for texts of `optionText`.

export const allowingWords =
  /\b(?:allow|allows|allowed|approve|approved|accept|yes|ok|okay|proceed|continue|confirm|run|apply|grant|permit|trust|overwrite)\b/;

/** Words that can only deny. */
export const denyingWords =
  /\b(?:deny|denies|denied|reject|rejects|rejected|decline|refuse|cancel|skip|stop|abort|block|forbid|disallow)\b/;

/** These deny when nothing before them allows. */
export const negatingWords = /\b(?:no|not|never|don't|keep)\b/;

/** For more than the one request. */
export const lastingWords =
  /\b(?:always|all|any|every|everything|session|conversation|chat|project|workspace|repository|folder|directory|user|forever|remember|permanent|permanently|never|trust|bypass|auto|automatic|automatically|autopilot|yolo|from now on|for good|future)\b|\b(?:don't|do not|without|no longer) ask(?:ing)?\b/;

/** For the one request only; "only this session" is not. */
export const onceWords =
  /\b(?:once|this time)\b|\b(?:just|only) this\b(?! (?:session|conversation|chat|project|workspace|repository|folder|directory|user)\b)/;

/** Every "don't ask again": it denies nothing. */
export const notAskingWords = /\b(?:don't|do not|never|without|no longer) ask(?:ing)?\b(?: me)?(?: again)?/g;

/** A name as lower-case words with one space between them: `AlwaysAllow` and `always_allow` are words, too. */
export function optionText(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[_\s-]+/g, ' ')
    .replaceAll(/[’‘]/g, "'")
    .trim()
    .toLowerCase();
}
