import type { Clock } from '../../base/common/async';
import type { Logger } from '../../base/common/log';
import type { BroughtThing } from '../../consent/common/broughtThing';
import type { ConsentDecision } from '../../consent/common/consentDesk';
import type { ContextProvider } from '../common/providers/contextProvider';
import { ProviderError, type RememberedRequest } from '../common/providers/providerError';
import { untrustedMessage, type ProviderEntry } from '../common/providers/providerSettings';
import { closedTap, type TrafficTap } from '../../wire/common/traffic';
import { BroughtProvider } from './broughtProvider';
import { CallTraffic } from './callTraffic';
import type { Fetch } from './httpAnswer';
import { HttpProvider, maxAnswerBytes } from './httpProvider';
import { ModuleWatcher } from './moduleWatcher';
import { isCodeOf } from './realPlace';
import { RemoteModules } from './remoteModule';
import { TextSharer } from './textSharer';
import { defaultWorkerLimits, WorkerProvider, type LocatedModule } from './workerProvider';
import type { HashedFile } from './providerWorkerMessages';
import type { WorkerLimits } from './workerRun';

export interface ProviderFactoryOptions {
  /** Absolute path of the bundle of `contextWorkerMain.ts`. */
  readonly workerFile: string;
  /** Absolute path of the folder for downloaded code. */
  readonly remoteFolder: string;
  /** The global `fetch` follows VS Code's proxy settings. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Logger;
  /** No messages are recorded without it. */
  readonly traffic?: TrafficTap;
  /** Whether the user has allowed a request, without asking. */
  readonly isAllowed: (request: RememberedRequest) => boolean;
  /** The allowed integrity of the code at a URL without a pinned hash. By default none. */
  readonly allowedCode?: (url: string) => string | undefined;
  /** The user's stored decision about workspace content. By default `ask`. */
  readonly decide?: (thing: BroughtThing) => ConsentDecision;
  /** `file:` URIs of folders whose code must not run. By default none. */
  readonly untrustedFolders?: () => readonly string[];
  /** `file:` URIs of all workspace folders. Code in them always needs consent, even if the user's settings name it. */
  readonly workspaceFolders?: () => readonly string[];
  readonly workerLimits?: WorkerLimits;
}

/** Creates the provider for an entry of the settings. Runs and downloads nothing before the first request. */
export class ProviderFactory {
  private readonly texts = new TextSharer();
  private readonly remote: RemoteModules;

  constructor(private readonly options: ProviderFactoryOptions) {
    const { fetch, clock, isAllowed, remoteFolder: folder, allowedCode = () => undefined } = options;
    this.remote = new RemoteModules({ fetch, clock, isAllowed, allowedCode, folder });
  }

  /** The caller disposes it. */
  create(entry: ProviderEntry): ContextProvider {
    const { place, title, settings } = entry;
    const { fetch, clock, decide = () => 'ask', isAllowed } = this.options;
    const code = new BroughtProvider(entry, decide);
    const brought = entry.isOfUser ? undefined : code;
    const permit = (files: readonly HashedFile[]): void => code.permitCode(files);
    switch (place.kind) {
      case 'endpoint':
        return new HttpProvider(place.url, {
          fetch,
          clock,
          isAllowed,
          ...(brought ? { permit: () => brought.permitAddress() } : {}),
          maxBytes: maxAnswerBytes,
          traffic: this.trafficOf(title),
        });
      case 'module':
        return this.worker(title, async () => {
          const specifier = await this.trusted(place.url);
          return !brought && !(await this.isOfWorkspace(specifier)) ? { specifier } : { specifier, permit };
        });
      case 'package':
        return this.worker(title, () =>
          // The workspace folder decides which code this is, even if the user's settings name it.
          Promise.resolve({ specifier: place.specifier, folder: place.folder, permit }),
        );
      case 'remoteModule':
        return this.worker(title, async (signal, isAgain) => {
          brought?.permitDownload();
          return await this.remote.locate(place.url, { integrity: settings['integrity'], isAgain, signal });
        });
    }
  }

  /** Resolves links: the settings were only checked by spelling, but a link can lead into the workspace. */
  private async trusted(url: string): Promise<string> {
    const folders = this.options.untrustedFolders?.() ?? [];
    if (await isCodeOf(folders, url)) throw new ProviderError(untrustedMessage);
    return url;
  }

  private async isOfWorkspace(url: string): Promise<boolean> {
    return await isCodeOf(this.options.workspaceFolders?.() ?? [], url);
  }

  private trafficOf(title: string): CallTraffic {
    return new CallTraffic(this.options.traffic ?? closedTap, this.options.clock, title);
  }

  private worker(
    title: string,
    locate: (signal: AbortSignal, isAgain: boolean) => Promise<LocatedModule>,
  ): WorkerProvider {
    const { clock, workerLimits = defaultWorkerLimits } = this.options;
    return new WorkerProvider(title, locate, {
      ...this.options,
      texts: this.texts,
      traffic: this.trafficOf(title),
      watcher: (onChange) => new ModuleWatcher(clock, onChange),
      limits: workerLimits,
    });
  }
}
