/** Stands in for the package `uc.micro` in pages: the browser knows the classes of all characters, as one of markdown-it's. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;
