/** Replaces the package `uc.micro` in pages with the browser's own character classes. */
const punctuation = /\p{P}/u;
const symbol = /\p{S}/u;

export { punctuation as P, symbol as S };
