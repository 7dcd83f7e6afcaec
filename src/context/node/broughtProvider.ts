import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isLoopback } from '../../base/common/loopback';
import type { BroughtFact, BroughtKind, BroughtThing } from '../../consent/common/broughtThing';
import type { ConsentDecision } from '../../consent/common/consentDesk';
import { hashOf } from '../../consent/node/contentHash';
import { ProviderError } from '../common/providers/providerError';
import type { ProviderEntry } from '../common/providers/providerSettings';
import { addressOf } from '../common/providers/providerUri';
import type { HashedFile } from './providerWorkerMessages';

/** Requires consent before code of the workspace runs or is downloaded, or its URLs receive text. */
export class BroughtProvider {
  private address: BroughtThing | undefined;
  private download: BroughtThing | undefined;

  constructor(
    private readonly entry: ProviderEntry,
    private readonly decide: (thing: BroughtThing) => ConsentDecision,
  ) {}

  /** @throws ProviderError */
  permitAddress(): void {
    this.address ??= this.thing('providerAddress', { facts: this.addressFacts('Texts go to') });
    this.require(this.address, 'Text would be sent to a URL from this workspace’s settings.');
  }

  /** Checks all files of the module, as they were read. @throws ProviderError */
  permitCode(files: readonly HashedFile[]): void {
    const sorted = files.toSorted((one, other) => (one.url < other.url ? -1 : 1));
    const address = addressOf(this.entry.place);
    const others = sorted.filter(({ url }) => url !== address);
    const facts = [
      { label: 'Module', value: pathOf(address) },
      ...others.map(({ url }) => ({ label: 'Runs the file', value: pathOf(url) })),
    ];
    this.require(this.code(facts, sorted), 'It is code from this workspace.');
  }

  private code(facts: readonly BroughtFact[], files: readonly HashedFile[]): BroughtThing {
    const lookAgain = async (): Promise<BroughtThing> => this.code(facts, await Promise.all(files.map(hashedNow)));
    const thing = this.thing('providerModule', { facts, files });
    if (!this.entry.isOfUser) return { ...thing, lookAgain };
    // The user's settings define it, so the code is what the user needs to see.
    const first = files.find(({ url }) => url === addressOf(this.entry.place)) ?? files[0];
    const file = first && pathOf(first.url);
    return { ...thing, source: { ...thing.source, file }, lookAgain };
  }

  /** Only covers the download. The downloaded code needs its own permission. @throws ProviderError */
  permitDownload(): void {
    this.download ??= this.thing('webCode', { facts: this.addressFacts('Downloads code from') });
    this.require(this.download, 'Its code would be downloaded from a URL in this workspace’s settings.');
  }

  private require(thing: BroughtThing, why: string): void {
    const decision = this.decide(thing);
    if (decision === 'allowed') return;
    const isDenied = decision === 'denied';
    const message = isDenied
      ? 'You did not allow it. Run “Backline: Review What This Workspace Runs” to change that.'
      : `${why} Allow it first.`;
    throw new ProviderError(message, { kind: 'brought', thing, isDenied });
  }

  private thing(
    kind: BroughtKind,
    { facts, files = [] }: { facts: readonly BroughtFact[]; files?: readonly HashedFile[] },
  ): BroughtThing {
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
      hash: hashOf({ kind, place, settings, files }),
    };
  }

  private addressFacts(label: string): BroughtFact[] {
    const url = addressOf(this.entry.place);
    const parsed = new URL(url);
    const isOpen = parsed.protocol !== 'https:' && !isLoopback(parsed);
    return [{ label, value: url, ...(isOpen ? { warning: 'not encrypted' } : {}) }];
  }
}

/** Rejects if the file cannot be read. */
async function hashedNow({ url }: HashedFile): Promise<HashedFile> {
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
