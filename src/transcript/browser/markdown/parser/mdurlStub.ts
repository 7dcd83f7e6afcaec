/**
 * Replaces the packages `mdurl` and `punycode.js` in pages. markdown-it uses them only in `normalizeLink` and
 * `normalizeLinkText`, which `markdownParser.ts` replaces.
 */
export const decode = undefined;
export const encode = undefined;
export const format = undefined;
export const parse = undefined;
export default undefined;
