/**
 * Normalizes names that some file systems treat as equal, with `/` as separator. More characters are equal in upper case
 * (`ſ`, `ﬁ`).
 */
export function normalizeSpelling(path: string): string {
  const folded = path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase();
  return folded
    .split('/')
    .map((name) => name.replace(/[. ]+$/, ''))
    .join('/');
}
