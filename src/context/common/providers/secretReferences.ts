import { oneLine } from '../../../base/common/oneLine';
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
  /** Texts to remove from messages. */
  readonly secrets: readonly string[];
}

/** Replaces each `${secret:name}`. Returns the same object if there are none. @throws ProviderError */
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

/** Shorter fragments of a secret at the end of a cut text are ignored. */
const minPartLength = 4;

/** Removes secrets in all spellings from a text, including the start of a secret where the text was cut. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  const spellings = [...new Set([...secrets].flatMap(spellingsOf))].filter((spelling) => spelling !== '');
  // The longest first, since one may contain another.
  spellings.sort((a, b) => b.length - a.length);
  const clean = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, hidden), text);
  const [cut = ''] = /(?:…|\.{3})?$/.exec(clean) ?? [];
  const whole = clean.slice(0, clean.length - cut.length);
  const parts = spellings.map((spelling) => prefixLengthAtEnd(whole, spelling));
  const longest = Math.max(0, ...parts);
  return longest === 0 ? clean : `${whole.slice(0, -longest)}${hidden}${cut}`;
}

/** The secret itself, as an excerpt in one line, and escaped for JSON and URLs. */
function spellingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, oneLine(secret), inJson, inJson.replaceAll('/', '\\/'), inUrl];
}

/** Length of the longest prefix of the secret that the text ends with. */
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
