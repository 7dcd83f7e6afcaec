import { BackendError } from '../../../session/common/sessionBackend';
import type { CatalogueEntry, UrlEntry } from './agentCatalogue';

/** Why an agent is not started, and what the user can do. */

export function signInElsewhereError({ title }: UrlEntry): BackendError {
  return new BackendError('unsupported', `${title} runs elsewhere. Sign in on its machine, then try again.`);
}

export function missingSecretError({ title }: CatalogueEntry, missing: readonly string[]): BackendError {
  const names = missing.map((name) => `"${name}"`).join(', ');
  const what = missing.length === 1 ? `the secret ${names} is` : `the secrets ${names} are`;
  const hint = 'Run "Backline: Manage Agent Keys…" to store it in VS Code’s secret storage.';
  return new BackendError('notReady', `${title} is unavailable because ${what} not stored. ${hint}`);
}

export function unusableSecretError({ title }: CatalogueEntry, name: string): BackendError {
  const what = `the secret "${name}" contains a character that a header cannot have`;
  const hint = 'Store it again with "Backline: Manage Agent Keys…".';
  return new BackendError('notReady', `${title} is unavailable because ${what}. ${hint}`);
}

export function untrustedError({ title }: CatalogueEntry): BackendError {
  return new BackendError('untrusted', `${title} is not used because this workspace is not trusted.`);
}
