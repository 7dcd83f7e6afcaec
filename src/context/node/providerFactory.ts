import type { Clock } from '../../base/common/async';
import type { Logger } from '../../base/common/log';
import type { ConsentSubject } from '../../consent/common/consentSubject';
import type { ConsentDecision } from '../../consent/common/consentManager';
import type { ContextProvider } from '../common/providers/contextProvider';
import { ProviderError, type RememberedConsentRequest } from '../common/providers/providerError';
import { untrustedWorkspaceMessage, type ProviderEntry } from '../common/providers/providerSettings';
import { disabledTrafficTap, type TrafficTap } from '../../wire/common/traffic';
import { refersToSecrets } from '../common/providers/secretReferences';
import { ProviderConsentGuard } from './providerConsentGuard';
import { ProviderTrafficRecorder } from './providerTrafficRecorder';
import type { Fetch } from '../../wire/node/outgoingHttp';
import { HttpProvider, maxAnswerBytes } from './httpProvider';
import { ModuleWatcher } from './moduleWatcher';
import { isInsideFolders } from './insideFolders';
import { RemoteModuleStore } from './remoteModuleStore';
import { TextSharer } from './textSharer';
import { WorkerProvider, type LocatedModule } from './workerProvider';
import type { HashedModuleFile } from './providerWorkerMessages';
import { WorkerPool } from './workers/workerPool';
import type { WorkerLimits } from './workers/workerThread';

export interface ProviderFactoryDeps {
  /** Absolute path of the bundle of `contextWorkerMain.ts`. */
  readonly workerFile: string;
  /** Absolute path of the folder for downloaded code. */
  readonly remoteFolder: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the messages for the traffic view. If missing, no messages are recorded. */
  readonly traffic?: TrafficTap;
  readonly isAllowed: (request: RememberedConsentRequest) => boolean;
  /** Returns the allowed integrity of the code at a URL without a pinned hash. By default, no code is allowed. */
  readonly allowedCode?: (url: string) => string | undefined;
  /** Returns the user's stored decision about content of the workspace. By default, `ask`. */
  readonly decide?: (subject: ConsentSubject) => ConsentDecision;
  /** Returns the `file:` URIs of folders whose code must not run. By default, there are none. */
  readonly untrustedFolders?: () => readonly string[];
  /** Returns the `file:` URIs of all folders. Code in them needs consent, even if user settings name it. */
  readonly workspaceFolders?: () => readonly string[];
  readonly workerLimits?: WorkerLimits;
}

const defaultWorkerLimits: WorkerLimits = { memoryMib: 256, callMs: 8_000 };

/** Creates the provider for an entry in the settings. Runs and downloads nothing before the first request. */
export class ProviderFactory {
  private readonly textSharer = new TextSharer();
  private readonly remoteModules: RemoteModuleStore;
  private readonly pool: WorkerPool;

  constructor(private readonly deps: ProviderFactoryDeps) {
    this.pool = new WorkerPool({ ...deps, limits: deps.workerLimits ?? defaultWorkerLimits });
    const { fetch, clock, isAllowed, remoteFolder: folder, allowedCode = () => undefined } = deps;
    this.remoteModules = new RemoteModuleStore({ fetch, clock, isAllowed, allowedCode, folder });
  }

  /** Creates the provider. The caller disposes it. */
  create(entry: ProviderEntry): ContextProvider {
    const { place, title, settings } = entry;
    const { fetch, clock, decide = () => 'ask', isAllowed } = this.deps;
    const code = new ProviderConsentGuard(entry, decide);
    const brought = entry.isUserDefined ? undefined : code;
    const assertAllowed = (files: readonly HashedModuleFile[]): void => code.assertCodeAllowed(files);
    switch (place.kind) {
      case 'endpoint':
        return new HttpProvider(place.url, {
          fetch,
          clock,
          isAllowed,
          ...(brought ? { assertAllowed: () => brought.assertAddressAllowed() } : {}),
          maxBytes: maxAnswerBytes,
          traffic: this.trafficRecorderFor(title),
        });
      case 'module':
        return this.createWorkerProvider(entry, async () => {
          const specifier = await this.assertTrusted(place.url);
          return !brought && !(await this.isInWorkspace(specifier)) ? { specifier } : { specifier, assertAllowed };
        });
      case 'package':
        return this.createWorkerProvider(entry, () =>
          // The workspace folder determines the code of this package, even if the user settings name the package.
          Promise.resolve({ specifier: place.specifier, folder: place.folder, assertAllowed }),
        );
      case 'remoteModule':
        return this.createWorkerProvider(entry, async (signal, isRefresh) => {
          brought?.assertDownloadAllowed();
          return await this.remoteModules.locate(place.url, { integrity: settings['integrity'], isRefresh, signal });
        });
    }
  }

  /** Checks the real path of a module, because a link can lead to an untrusted folder. @throws ProviderError */
  private async assertTrusted(url: string): Promise<string> {
    const folders = this.deps.untrustedFolders?.() ?? [];
    if (await isInsideFolders(folders, url)) throw new ProviderError(untrustedWorkspaceMessage);
    return url;
  }

  private async isInWorkspace(url: string): Promise<boolean> {
    return await isInsideFolders(this.deps.workspaceFolders?.() ?? [], url);
  }

  private trafficRecorderFor(title: string): ProviderTrafficRecorder {
    return new ProviderTrafficRecorder(this.deps.traffic ?? disabledTrafficTap, this.deps.clock, title);
  }

  private createWorkerProvider(
    { title, settings }: ProviderEntry,
    locate: (signal: AbortSignal, isRefresh: boolean) => Promise<LocatedModule>,
  ): WorkerProvider {
    const { clock, log } = this.deps;
    return new WorkerProvider(title, locate, {
      pool: this.pool,
      log,
      texts: this.textSharer,
      traffic: this.trafficRecorderFor(title),
      watcher: (onChange) => new ModuleWatcher(clock, onChange),
      // No other provider may see its secrets.
      isOwnWorkerRequired: refersToSecrets(settings),
    });
  }
}
