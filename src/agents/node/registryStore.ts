import { mkdir, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { parseJson } from '../../base/common/parseJson';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { InstallError, isInstallError } from '../common/install/installError';
import { maxIconBytes, toSafeSvg } from '../common/registry/checkIcon';
import { parseRegistry, type ParsedRegistry } from '../common/registry/parseRegistry';
import type { RegistryAgent } from '../common/registry/registryAgent';
import type { Fetch } from '../../wire/node/outgoingHttp';
import { openDownload, readBody } from './download/openDownload';
import { replaceFile } from '../../base/node/replaceFile';

interface RegistryStoreOptions {
  /** The address of the registry's document, from the user's settings. */
  readonly address: () => string;
  /** Absolute path of a folder in our storage. Created when needed. */
  readonly folder: string;
  /** The document that ships with the extension. */
  readonly bundledRegistry: unknown;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Logger;
}

interface RegistryView {
  readonly agents: readonly RegistryAgent[];
  readonly origin: 'snapshot' | 'cache' | 'registry';
  /** When the registry was last loaded, in milliseconds since the epoch. */
  readonly checkedAt?: number;
  /** Why the last attempt to read the registry failed, in a sentence. */
  readonly problem?: string;
  /** Set if the `problem` is that there is no connection. */
  readonly isOffline?: true;
}

const Cache = z.object({
  address: z.string(),
  etag: z.string().optional(),
  checkedAt: z.number(),
  document: z.unknown(),
});
type Cache = z.infer<typeof Cache>;

const maxBytes = 4 * 1024 * 1024;
/** Maximum size of the cache file. It is slightly larger than the document it contains. */
const maxCacheBytes = 2 * maxBytes;
const limitMs = 20_000;
const dayMs = 24 * 60 * 60_000;
/** Time until the next attempt after a failure. Shorter than after a success. */
const retryMs = 60 * 60_000;
const maxIcons = 500;

/** The agents in the registry: from the last loaded document, or from the list shipped with Backline. */
export class RegistryStore implements Disposable {
  private readonly emitter = new Emitter<void>((error) =>
    this.options.log.error('A listener of the registry failed', error),
  );
  readonly onDidChange = this.emitter.event;
  private readonly bundledRegistry: ParsedRegistry;
  private view: RegistryView;
  /** The address that `view` and `cache` belong to. */
  private loadedAddress: string | undefined;
  private cache: Cache | undefined;
  private lastAttempt: { readonly address: string; readonly at: number } | undefined;
  private runningRefresh: { readonly address: string; readonly done: Promise<void> } | undefined;
  private readonly icons = new Map<string, Promise<string | undefined>>();

  constructor(private readonly options: RegistryStoreOptions) {
    this.bundledRegistry = parseRegistry(options.bundledRegistry) ?? { agents: [], leftOut: 0 };
    this.view = { agents: this.bundledRegistry.agents, origin: 'snapshot' };
  }

  registryState(): RegistryView {
    return this.view;
  }

  /**
   * Shows the cached registry of the current address, or the list shipped with Backline. Call at the start and when the
   * address changes. Never rejects.
   */
  async loadCached(): Promise<void> {
    const address = this.options.address();
    if (this.loadedAddress === address) return;
    const cache = await this.readCache();
    if (address !== this.options.address()) return;
    this.loadedAddress = address;
    const parsed = cache?.address === address ? parseRegistry(cache.document) : undefined;
    this.cache = parsed ? cache : undefined;
    this.setView(
      parsed && cache
        ? { agents: parsed.agents, origin: 'cache', checkedAt: cache.checkedAt }
        : { agents: this.bundledRegistry.agents, origin: 'snapshot' },
    );
  }

  /** Loads the registry if that is due: a day after the last success, an hour after a failure. Never rejects. */
  async refreshIfDue(signal: AbortSignal): Promise<void> {
    await this.loadCached();
    if (!this.isDue()) return;
    // Another window may have loaded it in the meantime.
    this.loadedAddress = undefined;
    await this.loadCached();
    if (this.isDue()) await this.refresh(signal);
  }

  /**
   * Loads the registry now. Concurrent calls share one load if the address is the same. A failure keeps the current list and
   * becomes the `problem` of the state. Never rejects.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.loadCached();
    const address = this.options.address();
    if (this.runningRefresh?.address === address) {
      await this.runningRefresh.done;
      return;
    }
    const running = { address, done: this.refreshNow(address, signal) };
    this.runningRefresh = running;
    await running.done;
    if (this.runningRefresh === running) this.runningRefresh = undefined;
  }

  /** An agent's icon as checked SVG; undefined if it has none that can be shown. Never rejects. */
  async icon({ iconUrl }: RegistryAgent): Promise<string | undefined> {
    if (iconUrl === undefined) return undefined;
    const known = this.icons.get(iconUrl);
    if (known) return await known;
    const icon = this.loadIcon(iconUrl);
    if (this.icons.size >= maxIcons) this.icons.clear();
    this.icons.set(iconUrl, icon);
    return await icon;
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private isDue(): boolean {
    const now = this.options.clock.now();
    const isRecent = (time: number | undefined, periodMs: number): boolean =>
      // The clock may have been set back.
      time !== undefined && time <= now && now - time < periodMs;
    const attemptAt = this.lastAttempt?.address === this.options.address() ? this.lastAttempt.at : undefined;
    return !isRecent(this.cache?.checkedAt, dayMs) && !isRecent(attemptAt, retryMs);
  }

  private async refreshNow(address: string, signal: AbortSignal): Promise<void> {
    this.lastAttempt = { address, at: this.options.clock.now() };
    try {
      const answer = await this.downloadRegistry(address, signal);
      if (address !== this.options.address()) return;
      const { agents, cache } = answer;
      this.cache = cache;
      this.setView({ agents, origin: 'registry', checkedAt: cache.checkedAt });
      await this.writeCache(cache);
    } catch (error) {
      if (address !== this.options.address() || signal.aborted) return;
      const problem = isInstallError(error) ? error.message : `The registry could not be read: ${messageOf(error)}`;
      this.options.log.warn(`Registry of agents: ${problem}`);
      const { agents, checkedAt, origin } = this.view;
      const isOffline = isInstallError(error) && error.code === 'offline' ? (true as const) : undefined;
      this.setView({ agents, origin, problem, ...withoutUndefined({ checkedAt, isOffline }) });
    }
  }

  /** @throws InstallError */
  private async downloadRegistry(
    address: string,
    signal: AbortSignal,
  ): Promise<{ readonly agents: readonly RegistryAgent[]; readonly cache: Cache }> {
    const { fetch, clock, log } = this.options;
    const { cache } = this;
    const headers = {
      accept: 'application/json',
      ...(cache?.etag === undefined ? {} : { 'if-none-match': cache.etag }),
    };
    const limits = { maxBytes, silenceMs: limitMs, totalMs: limitMs, allowsLoopback: true };
    const download = await openDownload(address, { fetch, clock, signal, headers, ...limits });
    const body = await readBody(download);
    const checkedAt = clock.now();
    if (download.status === 304 && cache) {
      return { agents: parseRegistry(cache.document)?.agents ?? [], cache: { ...cache, checkedAt } };
    }
    const document = parseJson(body.toString('utf8'));
    const parsed = parseRegistry(document);
    if (!parsed) {
      const host = URL.parse(address)?.host ?? 'The registry';
      throw new InstallError('serverError', `${host} did not send a list of agents.`);
    }
    if (parsed.leftOut > 0)
      log.info(`Registry of agents: ${parsed.leftOut} entries are left out, since they are not valid.`);
    const etag = download.headers.get('etag') ?? undefined;
    return { agents: parsed.agents, cache: { address, checkedAt, document, ...withoutUndefined({ etag }) } };
  }

  private async loadIcon(url: string): Promise<string | undefined> {
    const { fetch, clock, log } = this.options;
    const { signal } = new AbortController();
    const limits = { maxBytes: maxIconBytes, silenceMs: limitMs, totalMs: limitMs, allowsLoopback: true };
    try {
      const body = await readBody(await openDownload(url, { fetch, clock, signal, ...limits }));
      return toSafeSvg(body.toString('utf8'));
    } catch (error) {
      log.debug(`An icon is not shown: ${messageOf(error)}`);
      // The next request tries again.
      this.icons.delete(url);
      return undefined;
    }
  }

  private get cacheFile(): string {
    return path.join(this.options.folder, 'registry.json');
  }

  private async readCache(): Promise<Cache | undefined> {
    try {
      if ((await stat(this.cacheFile)).size > maxCacheBytes) return undefined;
      return Cache.safeParse(parseJson(await readFile(this.cacheFile, 'utf8'))).data;
    } catch {
      return undefined;
    }
  }

  private async writeCache(cache: Cache): Promise<void> {
    try {
      await mkdir(this.options.folder, { recursive: true, mode: 0o700 });
      await replaceFile(this.cacheFile, JSON.stringify(cache));
    } catch (error) {
      this.options.log.warn(`The list of agents could not be stored: ${messageOf(error)}`);
    }
  }

  private setView(view: RegistryView): void {
    this.view = view;
    this.emitter.fire();
  }
}
