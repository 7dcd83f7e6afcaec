/** Replaces the package `uc.micro` in pages with the browser's own character classes. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;
