/**
 * Stands in for the packages `mdurl` and `punycode.js` in pages: markdown-it calls them only in what `markdownParser.ts`
 * replaces, `normalizeLink` and `normalizeLinkText`.
 */
export const decode = undefined;
export const encode = undefined;
export const format = undefined;
export const parse = undefined;
export default undefined;
