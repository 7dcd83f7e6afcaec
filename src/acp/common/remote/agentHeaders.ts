import { isKeyVariable } from '../signIn/agentKeys';

export type AgentHeaders = Readonly<Record<string, string>>;

const reference = /\$\{secret:([^}]*)\}/g;
const namePattern = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Headers that only the transport sets. */
const reservedPattern =
  /^(accept|connection|content-.*|cookie2|expect|host|keep-alive|origin|proxy-connection|sec-.*|te|trailer|transfer-encoding|upgrade|acp-connection-id|acp-session-id)$/i;
/** Headers whose values are secrets, even if they are written in the settings. */
const credentialPattern = /^(cookie|.*(auth|authentication|authorization|password)|.*(token|secret|api-?key).*)$/i;
/** Characters that a value cannot have. */
const unsendablePattern = /[^\t\x20-\x7e]/;
/** Credential headers whose value begins with a scheme, such as `Bearer`. */
const schemePattern = /auth(entication|orization)?$/i;
/** Minimum length of a redacted text. Shorter texts occur in ordinary words. */
const minSecretLength = 8;
/** Random text. Names, paths, hosts, regions and models have shorter runs of letters and digits. */
const tokenPattern = /(?=[a-z\d]{0,19}[a-z])(?=[a-z\d]{0,19}\d)[a-z\d]{20}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Returns why a header cannot be sent, as the end of a sentence. Undefined if it can be sent. */
export function headerProblem(name: string, value: string): string | undefined {
  const problem = literalHeaderProblem(name, value);
  if (problem !== undefined) return problem;
  const wrong = secretNamesIn({ [name]: value }).find((secret) => !isKeyVariable(secret));
  return wrong === undefined ? undefined : `"${wrong}" is not a valid secret name. Use letters, digits and underscores`;
}

/** Like `headerProblem`, for a value in which `${secret:NAME}` has no meaning. */
export function literalHeaderProblem(name: string, value: string): string | undefined {
  if (!namePattern.test(name)) return `"${name}" is not a valid header name`;
  if (reservedPattern.test(name)) return `the header "${name}" is set with each request and cannot be changed`;
  if (unsendablePattern.test(value)) return `the value of "${name}" contains a character that a header cannot have`;
  return undefined;
}

/** Returns the names in `${secret:NAME}`, without duplicates. */
export function secretNamesIn(headers: AgentHeaders): readonly string[] {
  const names = Object.values(headers).flatMap((value) => [...value.matchAll(reference)].map(([, name = '']) => name));
  return [...new Set(names)];
}

interface ResolvedHeaders {
  readonly headers: AgentHeaders;
  /** Texts to redact in logs, messages and transcripts. */
  readonly secrets: readonly string[];
  /** Names of secrets that are not stored. */
  readonly missing: readonly string[];
  /** Names of stored secrets that a header cannot contain. */
  readonly unusable: readonly string[];
}

/** Replaces each `${secret:NAME}` with the stored secret. */
export function resolveHeaders(headers: AgentHeaders, stored: Readonly<Record<string, string>>): ResolvedHeaders {
  const names = secretNamesIn(headers);
  const missing = names.filter((name) => !Object.hasOwn(stored, name));
  const unusable = names.filter((name) => !missing.includes(name) && unsendablePattern.test(stored[name] ?? ''));
  const resolved = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(reference, (_all, secret: string) => stored[secret] ?? ''),
    ]),
  );
  const credentials = Object.entries(resolved).flatMap(([name, value]) => headerSecrets(name, value));
  const secrets = names.map((name) => stored[name] ?? '').filter(({ length }) => length >= minSecretLength);
  return { headers: resolved, missing, unusable, secrets: [...secrets, ...credentials] };
}

/**
 * Returns the texts of a header to redact: the value of a credential header, also without its scheme, and parts of other
 * values that look random. Other values, such as the name of a team, occur in paths and messages.
 */
export function headerSecrets(name: string, value: string): readonly string[] {
  const isCredential = credentialPattern.test(name);
  const credential = isCredential ? [value] : [];
  const withoutScheme = isCredential && schemePattern.test(name) ? [value.replace(/^\S+\s+/, '')] : [];
  const tokens = value.split(/[^\w.~+/-]+/).filter((part) => tokenPattern.test(part));
  const texts = new Set([...credential, ...withoutScheme, ...tokens]);
  return [...texts].filter(({ length }) => length >= minSecretLength);
}
