import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isLoopback } from '../../base/common/addresses/loopback';
import type { ConsentFact, ConsentSubjectKind, ConsentSubject } from '../../consent/common/consentSubject';
import type { ConsentDecision } from '../../consent/common/consentManager';
import { hashJson } from '../../consent/node/contentHash';
import { ProviderError } from '../common/providers/providerError';
import type { ProviderEntry } from '../common/providers/providerSettings';
import { providerAddress } from '../common/providers/providerUri';
import type { HashedModuleFile } from './providerWorkerMessages';

/** Requires consent before code of the workspace runs or is downloaded, and before its URLs receive text. */
export class ProviderConsentGuard {
  private addressSubject: ConsentSubject | undefined;
  private downloadSubject: ConsentSubject | undefined;

  constructor(
    private readonly entry: ProviderEntry,
    private readonly decide: (subject: ConsentSubject) => ConsentDecision,
  ) {}

  assertAddressAllowed(): void {
    this.addressSubject ??= this.createSubject('providerAddress', { facts: this.addressFacts('Sends text to') });
    this.assertAllowed(this.addressSubject, 'Text would be sent to a URL from this workspace’s settings.');
  }

  /** Checks all files of the module with the contents that were read. @throws ProviderError */
  assertCodeAllowed(files: readonly HashedModuleFile[]): void {
    const sorted = files.toSorted((one, other) => (one.url < other.url ? -1 : 1));
    const address = providerAddress(this.entry.place);
    const others = sorted.filter(({ url }) => url !== address);
    const facts = [
      { label: 'Module', value: pathOf(address) },
      ...others.map(({ url }) => ({ label: 'Runs the file', value: pathOf(url) })),
    ];
    this.assertAllowed(this.codeSubject(facts, sorted), 'The provider is code from this workspace.');
  }

  private codeSubject(facts: readonly ConsentFact[], files: readonly HashedModuleFile[]): ConsentSubject {
    const lookAgain = async (): Promise<ConsentSubject> =>
      this.codeSubject(facts, await Promise.all(files.map(hashCurrentFile)));
    const subject = this.createSubject('providerModule', { facts, files });
    if (!this.entry.isUserDefined) return { ...subject, reload: lookAgain };
    // The dialog names the module file as its source, because the entry itself is in the user settings and not in a file of
    // the workspace.
    const first = files.find(({ url }) => url === providerAddress(this.entry.place)) ?? files[0];
    const file = first && pathOf(first.url);
    return { ...subject, source: { ...subject.source, file }, reload: lookAgain };
  }

  /** Checks the download only. The downloaded code needs its own permission. @throws ProviderError */
  assertDownloadAllowed(): void {
    this.downloadSubject ??= this.createSubject('webCode', { facts: this.addressFacts('Downloads code from') });
    this.assertAllowed(this.downloadSubject, 'Its code would be downloaded from a URL in this workspace’s settings.');
  }

  private assertAllowed(subject: ConsentSubject, why: string): void {
    const decision = this.decide(subject);
    if (decision === 'allowed') return;
    const isDenied = decision === 'denied';
    const message = isDenied
      ? 'You did not allow it. Run “Backline: Review What This Workspace Runs” to change that.'
      : `${why} Allow it first.`;
    throw new ProviderError(message, { kind: 'brought', subject, isDenied });
  }

  private createSubject(
    kind: ConsentSubjectKind,
    { facts, files = [] }: { facts: readonly ConsentFact[]; files?: readonly HashedModuleFile[] },
  ): ConsentSubject {
    const { id, title, place, settings, source } = this.entry;
    const values = Object.entries(settings).map(([key, value]) => ({
      label: `Setting ${key}`,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }));
    return {
      kind,
      name: title,
      id,
      source,
      facts: [...facts.slice(0, 1), ...values, ...facts.slice(1)],
      hash: hashJson({ kind, place, settings, files }),
    };
  }

  private addressFacts(label: string): ConsentFact[] {
    const url = providerAddress(this.entry.place);
    const parsed = new URL(url);
    const isOpen = parsed.protocol !== 'https:' && !isLoopback(parsed);
    return [{ label, value: url, ...(isOpen ? { warning: 'not encrypted' } : {}) }];
  }
}

/** Hashes the current content of a file. Rejects if it cannot be read. */
async function hashCurrentFile({ url }: HashedModuleFile): Promise<HashedModuleFile> {
  const bytes = await readFile(fileURLToPath(url));
  return { url, hash: createHash('sha256').update(bytes).digest('hex') };
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}
