import * as vscode from 'vscode';
import { Coalescer } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Memento } from '../../base/common/memento';
import { createTimeLimitedRunner } from '../../base/node/timeLimitedRunner';
import type { ConsentSubjectKind, ConsentSubject } from '../../consent/common/consentSubject';
import type { ConsentPort, ConsentDecision } from '../../consent/common/consentManager';
import type { EditorPort } from '../../editor/common/editorPort';
import { ExcludeList } from '../../editor/common/excludeList';
import { commandIds, settingIds, type CommandId } from '../../manifest';
import { withAbortSignal } from '../../platform/vscode/cancellation';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { AllowedRequests } from '../common/providers/allowedRequests';
import { ContextItemsChip } from '../common/ai/contextItemsChip';
import { ContextClient, defaultClientOptions } from '../common/contextClient';
import { ContextLookups } from '../common/ai/contextLookups';
import { ContextMentions } from '../common/ai/contextMentions';
import type { ContextReader } from '../common/ai/contextReader';
import { contextStatus, describeAbilities } from '../common/contextStatus';
import { runContextTool, agentContextTool } from '../common/ai/contextTool';
import type { RememberedConsentRequest } from '../common/providers/providerError';
import type { ProviderState } from '../common/providers/providerHandle';
import { listProviders, emptyProviderList } from '../common/providers/providerSettings';
import { secretNames } from '../common/providers/secretReferences';
import type { Tool } from '../../tools/common/toolProvider';
import type { TrafficTap } from '../../wire/common/traffic';
import { FileAccessFilter } from '../node/fileAccessFilter';
import { ProviderFactory } from '../node/providerFactory';
import {
  workspaceFolderPaths,
  openProviderSettingsAction,
  readProviderSettingsLevels,
  affectsProviderSettings,
  untrustedFolderUris,
  workspaceFolderUris,
} from './configuredProviders';
import { manageProviderConsent } from './consentDialog';
import { supportedSchemes, DocumentItemsFeed } from './documentItemsFeed';
import { ItemCountStatus } from './itemCountStatus';
import { ItemDecorations } from './itemDecorations';
import { ItemHovers } from './itemHovers';
import { ItemCodeLenses } from './itemCodeLenses';
import { runShowItemsCommand } from './itemPicker';
import { ProviderLogs } from './providerLogs';
import { ProviderSecrets } from './providerSecrets';
import { createContextReader, findActiveFileLocation } from './fileReader';
import type { OutgoingHttp } from '../../wire/node/outgoingHttp';

export interface ContextControllerDeps extends FeatureContext {
  readonly http: OutgoingHttp;
  readonly id: string;
  readonly title: string;
  readonly editor: Pick<EditorPort, 'resolve' | 'open' | 'stat'>;
  readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
  /** Global storage for permissions and for the names of stored secrets. */
  readonly memento: Memento;
  /** Absolute path of `dist/context-worker.js`. */
  readonly workerFile: string;
  /** Absolute path of the folder for downloaded code. */
  readonly remoteFolder: string;
  readonly traffic: TrafficTap;
  readonly consent: ConsentPort;
}

const providerKinds: readonly ConsentSubjectKind[] = ['providerModule', 'providerAddress', 'webCode'];

/** How long to collect changes of the state, in milliseconds, because they are frequent while the user types. */
const statusMs = 200;

/** Connects the context client with VS Code: settings, documents, editor features and AI features. */
export class ContextController implements Disposable {
  readonly mentions: ContextMentions;
  readonly chip: ContextItemsChip;
  private readonly runWithTimeLimit = createTimeLimitedRunner();
  private readonly logs = new ProviderLogs();
  private readonly disposables = new DisposableStore();
  private readonly allowedRequests: AllowedRequests;
  private readonly secrets: ProviderSecrets;
  private readonly client: ContextClient;
  private readonly fileFilter: FileAccessFilter;
  private readonly feed: DocumentItemsFeed;
  readonly reader: ContextReader;
  readonly lookups: ContextLookups;
  private readonly statusCoalescer: Coalescer;
  private excludeList: ExcludeList;
  private providerList = emptyProviderList;

  constructor(private readonly deps: ContextControllerDeps) {
    const { clock, editor, log, memento, secrets, settings } = deps;
    const onError = (error: unknown): void => log.error('something went wrong with context items', error);
    this.excludeList = this.readExcludeList();
    // Providers cannot access excluded files, not even outside the workspace.
    this.fileFilter = new FileAccessFilter({
      folders: workspaceFolderPaths,
      exclude: () => this.excludeList,
      isWindows: process.platform === 'win32',
    });
    this.allowedRequests = new AllowedRequests(memento);
    this.secrets = new ProviderSecrets({
      secrets,
      memento,
      referencedNames: () => this.providerList.entries.flatMap((entry) => secretNames(entry.settings)),
    });
    const isAllowed = (request: RememberedConsentRequest): boolean => this.allowedRequests.has(request);
    const factory = new ProviderFactory({
      ...deps,
      fetch: deps.http.fetch,
      isAllowed,
      allowedCode: (url) => this.allowedRequests.allowedIntegrity(url),
      decide: (subject) => this.decideConsent(subject),
      untrustedFolders: untrustedFolderUris,
      workspaceFolders: workspaceFolderUris,
    });
    const clientOptions = {
      ...defaultClientOptions,
      get deadlineMs() {
        return settings.contextHoverTimeoutMs();
      },
    };
    this.client = new ContextClient(
      {
        clock,
        log,
        secrets: this.secrets,
        runWithTimeLimit: this.runWithTimeLimit,
        logOf: (ref) => this.logs.createLog(ref),
        isAllowed,
        // Providers not in `ids` were removed or restarted. They ask for consent again with their next request.
        onProvidersKept: (ids) =>
          deps.consent.forgetMissing(providerKinds, ({ id }) => id !== undefined && ids.has(id)),
        createProvider: (entry) => factory.create(entry),
      },
      clientOptions,
    );
    this.feed = new DocumentItemsFeed(this.client, this.fileFilter, onError);
    this.reader = createContextReader(this.client, editor);
    this.lookups = new ContextLookups({
      clock,
      providers: this.client.providers,
      userLocation: () => findActiveFileLocation(editor),
    });
    this.mentions = new ContextMentions(this.reader, this.lookups);
    this.chip = new ContextItemsChip(this.reader, memento, onError);
    this.statusCoalescer = new Coalescer(clock, statusMs, () => this.showStatus());
  }

  start(): void {
    const { client, feed, disposables, deps } = this;
    const onError = (error: unknown): void => deps.log.error('something went wrong with context items', error);
    for (const part of [this.logs, client, this.lookups, this.chip, this.statusCoalescer, feed]) disposables.add(part);
    const lenses = disposables.add(new ItemCodeLenses(feed, () => deps.settings.contextCodeLens(), onError));
    const decorations = disposables.add(new ItemDecorations(feed, () => deps.settings.contextDecoration()));
    const count = disposables.add(new ItemCountStatus(feed));
    const selector = supportedSchemes.map((scheme) => ({ scheme }));
    disposables.add(vscode.languages.registerHoverProvider(selector, new ItemHovers(feed)));
    disposables.add(vscode.languages.registerCodeLensProvider(selector, lenses));
    disposables.add(
      feed.onDidUpdate(() => {
        lenses.refresh();
        this.chip.refresh();
        this.statusCoalescer.schedule();
      }),
    );
    disposables.add(vscode.window.onDidChangeActiveTextEditor(() => this.chip.refresh()));
    disposables.add(client.onDidChangeStates(() => this.statusCoalescer.schedule()));
    this.followSettings(lenses, decorations);
    this.applyProviderSettings();
    feed.start();
    decorations.start();
    count.start();
  }

  async runCommand(id: CommandId, args: readonly unknown[]): Promise<void> {
    const { providerStates } = this.client;
    const target = typeof args[0] === 'string' ? args[0] : undefined;
    switch (id) {
      case commandIds.contextShowItems:
        await runShowItemsCommand(this.feed, (url) => this.openLink(url), args[0]);
        return;
      case commandIds.contextToggle:
        await this.deps.settings.toggleContext();
        return;
      case commandIds.contextRetry:
        this.retry(target === undefined ? providerStates : [{ id: target }]);
        return;
      case commandIds.contextAllow:
        this.retry(
          await manageProviderConsent(
            providerStates,
            { allowed: this.allowedRequests, consent: this.deps.consent },
            target,
          ),
        );
        return;
      case commandIds.contextShowLog:
        await this.showLog(target);
        return;
      case commandIds.contextSetSecret:
        if (await this.secrets.manageSecrets()) this.retry(this.client.providerStates);
        return;
      default:
        throw new Error(`${id} is not a command of context providers.`);
    }
  }

  async invokeTool(input: unknown, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const text = await withAbortSignal(token, (signal) => runContextTool(this, input, signal));
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  /** Tools for agents. Empty if there are no providers. */
  get tools(): readonly Tool[] {
    if (this.providerList.entries.length === 0) return [];
    return [{ definition: agentContextTool, run: (input, signal) => runContextTool(this, input, signal) }];
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private followSettings(lenses: ItemCodeLenses, decorations: ItemDecorations): void {
    const { settings } = this.deps;
    const { workspace } = vscode;
    const configure = (): void => this.applyProviderSettings();
    this.disposables.add(workspace.onDidGrantWorkspaceTrust(() => this.onTrustGranted()));
    this.disposables.add(workspace.onDidChangeWorkspaceFolders(configure));
    this.disposables.add(this.deps.consent.onDidChange(() => this.onConsentChanged()));
    this.disposables.add(
      workspace.onDidChangeConfiguration((change) => affectsProviderSettings(change) && this.applyProviderSettings()),
    );
    this.disposables.add(settings.onDidChangeOf([settingIds.contextEnabled], configure));
    this.disposables.add(settings.onDidChangeOf([settingIds.contextCodeLens], () => lenses.refresh()));
    this.disposables.add(settings.onDidChangeOf([settingIds.contextDecoration], () => decorations.updateStyle()));
    this.disposables.add(
      settings.onDidChangeOf([settingIds.exclude], () => void (this.excludeList = this.readExcludeList())),
    );
  }

  private readExcludeList(): ExcludeList {
    return new ExcludeList(this.deps.settings.excludeGlobs());
  }

  /** Decides about a provider's code. If the provider was removed in the meantime, returns `ask` and stores nothing. */
  private decideConsent(subject: ConsentSubject): ConsentDecision {
    const isNamed = this.providerList.entries.some(({ id }) => id === subject.id);
    return isNamed ? this.deps.consent.registerAndDecide(subject) : 'ask';
  }

  private applyProviderSettings(): void {
    this.providerList = this.deps.settings.contextEnabled()
      ? listProviders(readProviderSettingsLevels())
      : emptyProviderList;
    this.fileFilter.forgetAll();
    this.client.setProviders(this.providerList);
    this.showStatus();
  }

  /** Tries providers again that failed because the workspace was not trusted. */
  private onTrustGranted(): void {
    this.applyProviderSettings();
    this.retry(this.client.providerStates.filter(({ status }) => status === 'failing'));
  }

  /** Tries providers again whose permission was granted or revoked. */
  private onConsentChanged(): void {
    const { consent } = this.deps;
    const hasOther = ({ consent: request }: ProviderState): boolean =>
      request?.kind === 'brought' &&
      consent.registerAndDecide(request.subject) !== (request.isDenied ? 'denied' : 'ask');
    const isTakenBack = ({ id }: ProviderState): boolean => {
      const { isUserDefined: isUserDefined = true, place } = this.client.providers.find(id)?.entry ?? {};
      return !isUserDefined || place?.kind === 'module' || place?.kind === 'package';
    };
    this.retry(
      this.client.providerStates.filter((state) => hasOther(state) || (state.status === 'ready' && isTakenBack(state))),
    );
  }

  private retry(states: readonly { readonly id: string }[]): void {
    for (const { id } of states) this.client.retry(id);
  }

  private showStatus(): void {
    const { id, title, settings, status } = this.deps;
    const { problems, states } = this.client.providers;
    const document = vscode.window.activeTextEditor?.document;
    const answer = document && this.feed.knownItems(document);
    const notes = answer?.providerNotes.flatMap(({ provider, notes: [first] }) =>
      first ? [`${provider.title}: ${first}`] : [],
    );
    const isExcluded = document && supportedSchemes.includes(document.uri.scheme) && this.feed.explainRefusal(document);
    const refusal = isExcluded ? [`${isExcluded}.`] : [];
    const situation = {
      isEnabled: settings.contextEnabled(),
      isTrusted: vscode.workspace.isTrusted,
      states,
      problems,
      notes: [...(answer?.note === undefined ? [] : [answer.note]), ...(notes ?? []), ...refusal],
    };
    status.set({ id, title, ...contextStatus(situation, actions) });
  }

  /** Shows the log of a provider. If there is no ID, lets the user choose the provider. */
  private async showLog(id: string | undefined): Promise<void> {
    const { providerStates } = this.client;
    const picks = providerStates.map((state) => ({
      label: state.title,
      description: describeAbilities(state),
      id: state.id,
    }));
    const chosen = id ?? (picks.length > 1 ? await pickProvider(picks) : picks[0]?.id);
    if (chosen === undefined || this.logs.show(chosen)) return;
    const title = providerStates.find((state) => state.id === chosen)?.title ?? chosen;
    void vscode.window.showInformationMessage(`${title} has no log entries yet.`);
  }

  private async openLink(url: string): Promise<void> {
    if (url.startsWith('file:')) await this.deps.editor.open(url);
    else await vscode.env.openExternal(vscode.Uri.parse(url, true));
  }
}

async function pickProvider(
  picks: readonly (vscode.QuickPickItem & { readonly id: string })[],
): Promise<string | undefined> {
  const options = { title: 'Show Context Provider Log', placeHolder: 'Select a provider' };
  return (await vscode.window.showQuickPick(picks, options))?.id;
}

const actions = {
  showLog: commandIds.contextShowLog,
  toggle: commandIds.contextToggle,
  retry: commandIds.contextRetry,
  allow: commandIds.contextAllow,
  setSecret: commandIds.contextSetSecret,
  manageTrust: 'workbench.trust.manage',
  openSettings: openProviderSettingsAction,
};
