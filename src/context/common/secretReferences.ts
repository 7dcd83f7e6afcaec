import type { ProviderSettings, SecretSource } from './contextProvider';
import { ProviderError } from './providerError';

const reference = /\$\{secret:([^}]*)\}/g;

/** Whether any text in the settings refers to a secret. */
export function refersToSecrets(value: unknown): boolean {
  if (typeof value === 'string') return value.search(reference) !== -1;
  return typeof value === 'object' && value !== null && Object.values(value).some(refersToSecrets);
}

export interface ResolvedSettings {
  readonly settings: ProviderSettings;
  /** What must not be seen in messages. */
  readonly secrets: readonly string[];
}

/**
 * The settings with each `${secret:name}` replaced by the secret; the same object when there is none.
 * @throws ProviderError when a secret is not stored
 */
export async function resolveSecrets(settings: ProviderSettings, source: SecretSource): Promise<ResolvedSettings> {
  if (!refersToSecrets(settings)) return { settings, secrets: [] };
  const values = new Map<string, string>();
  for (const name of namesIn(settings)) {
    const value = await source.get(name);
    if (value === undefined)
      throw new ProviderError(`The secret "${name}" that its settings refer to is not stored. Store it, then retry.`);
    values.set(name, value);
  }
  const resolved = Object.entries(settings).map(([key, value]): [string, unknown] => [key, replaced(value, values)]);
  return { settings: Object.fromEntries(resolved), secrets: [...values.values()] };
}

/** The text without the secrets in it. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '•••');
  return clean;
}

/** The names that settings refer to. */
export function secretNames(settings: ProviderSettings): readonly string[] {
  return [...namesIn(settings)];
}

function namesIn(value: unknown): Set<string> {
  if (typeof value === 'string') return new Set([...value.matchAll(reference)].map((match) => match[1] ?? ''));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((part) => [...namesIn(part)]));
}

function replaced(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replace(reference, (_all, name: string) => secrets.get(name) ?? '');
  if (Array.isArray(value)) return value.map((part) => replaced(part, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part, secrets)]));
}
