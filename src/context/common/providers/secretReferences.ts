import { oneLine } from '../../../base/common/text/oneLine';
import type { ProviderSettings, SecretSource } from './contextProvider';
import { MissingSecretError } from './providerError';

const reference = /\$\{secret:([^}]*)\}/g;

/** Whether any text in the settings refers to a secret. */
export function refersToSecrets(value: unknown): boolean {
  if (typeof value === 'string') return value.search(reference) !== -1;
  return typeof value === 'object' && value !== null && Object.values(value).some(refersToSecrets);
}

interface ResolvedSettings {
  readonly settings: ProviderSettings;
  /** The values of the secrets, which must be removed from messages. */
  readonly secrets: readonly string[];
}

/** Replaces each `${secret:name}` with its value. Returns the same object if there are none. @throws ProviderError */
export async function resolveSecrets(settings: ProviderSettings, source: SecretSource): Promise<ResolvedSettings> {
  if (!refersToSecrets(settings)) return { settings, secrets: [] };
  const values = new Map<string, string>();
  for (const name of namesIn(settings)) {
    const value = await source.get(name);
    if (value === undefined) throw new MissingSecretError(name);
    values.set(name, value);
  }
  const resolved = Object.entries(settings).map(([key, value]): [string, unknown] => [
    key,
    replaceReferences(value, values),
  ]);
  return { settings: Object.fromEntries(resolved), secrets: [...values.values()] };
}

const hidden = '•••';

/** Minimum length of the start of a secret that is removed at the end of a truncated text. */
const minPartLength = 4;

/** Removes secrets from a text, in all encodings. If the text was truncated, also removes the start of a secret at its end. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  const spellings = [...new Set([...secrets].flatMap(spellingsOf))].filter((spelling) => spelling !== '');
  // The longest comes first, because one secret may contain another.
  spellings.sort((a, b) => b.length - a.length);
  const clean = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, hidden), text);
  const [cut = ''] = /(?:…|\.{3})?$/.exec(clean) ?? [];
  const whole = clean.slice(0, clean.length - cut.length);
  const parts = spellings.map((spelling) => prefixLengthAtEnd(whole, spelling));
  const longest = Math.max(0, ...parts);
  return longest === 0 ? clean : `${whole.slice(0, -longest)}${hidden}${cut}`;
}

/** Returns the secret itself, as an excerpt on one line, and escaped for JSON and URLs. */
function spellingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, oneLine(secret), inJson, inJson.replaceAll('/', '\\/'), inUrl];
}

/** Returns the length of the longest start of the secret that is at the end of the text. */
function prefixLengthAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length >= minPartLength; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

export function secretNames(settings: ProviderSettings): readonly string[] {
  return [...namesIn(settings)];
}

function namesIn(value: unknown): Set<string> {
  if (typeof value === 'string') return new Set([...value.matchAll(reference)].map((match) => match[1] ?? ''));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((part) => [...namesIn(part)]));
}

function replaceReferences(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replace(reference, (_all, name: string) => secrets.get(name) ?? '');
  if (Array.isArray(value)) return value.map((part) => replaceReferences(part, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaceReferences(part, secrets)]));
}
