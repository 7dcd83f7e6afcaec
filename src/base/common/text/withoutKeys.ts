/** Keys by how they begin, as their services make them. */
const keyPattern =
  /\b(?:sk|pk|rk)-[\w-]{8,}|\bAIza[\w-]{20,}|\b(?:gh[pousr]|github_pat|glpat|gsk|hf|npm|xai)[-_][\w-]{16,}/gu;

/** Keys by what stands before them: the scheme of a header, or the name of a member, a setting or a parameter. */
const namedKeyPattern =
  /\b((?:bearer|basic)\s{1,3})(?:[\w.~+/=-]{20,}|(?=[\w.~+/=-]{0,20}\d)[\w.~+/=-]{8,})|((?:api[ _-]?key(?: provided)?|auth[_-]?token|access[_-]?token|secret|passw(?:or)?d|\b_auth|\btoken(?==)|[?&]key)["'\\]{0,4}\s{0,3}[=:]\s{0,3}["'\\]{0,4})[^\s"'\\&,;)}\]]{6,}/giu;

/** The user and the password in an address, such as that of a proxy. */
const userInfoPattern = /\/\/[^/\s@"']{1,500}@/gu;

/**
 * Returns the text without what looks like a key, a token or a password, as services and tools repeat them in errors. Use a
 * `SecretRedactor` for secrets that are known.
 */
export function withoutKeys(text: string): string {
  return text
    .replace(userInfoPattern, '//')
    .replace(keyPattern, '[key]')
    .replace(namedKeyPattern, (_, scheme?: string, name?: string) => `${scheme ?? name ?? ''}[key]`);
}
