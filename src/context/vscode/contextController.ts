import * as vscode from 'vscode';
import { Coalescer } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Memento } from '../../base/common/memento';
import { timedRunner } from '../../base/node/timedRunner';
import type { BroughtKind, BroughtThing } from '../../consent/common/broughtThing';
import type { Consent, ConsentDecision } from '../../consent/common/consentDesk';
import type { EditorPort } from '../../editor/common/editorPort';
import { ExcludeList } from '../../editor/common/excludeList';
import { commandIds, settingIds, type CommandId } from '../../manifest';
import { withSignalOf } from '../../platform/vscode/cancellation';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { AllowedRequests } from '../common/providers/allowedRequests';
import { ContextChip } from '../common/ai/contextChip';
import { ContextClient, defaultClientOptions } from '../common/contextClient';
import { ContextLookups } from '../common/ai/contextLookups';
import { ContextMentions } from '../common/ai/contextMentions';
import type { ContextReader } from '../common/ai/contextReader';
import { contextStatus, describeAbilities } from '../common/contextStatus';
import { answerContextTool, contextItemsTool } from '../common/ai/contextTool';
import type { RememberedRequest } from '../common/providers/providerError';
import type { ProviderState } from '../common/providers/providerHandle';
import { listProviders, noProviders } from '../common/providers/providerSettings';
import { secretNames } from '../common/providers/secretReferences';
import type { Tool } from '../../tools/common/toolProvider';
import type { TrafficTap } from '../../wire/common/traffic';
import { FileAccessFilter } from '../node/fileAccessFilter';
import { ProviderFactory } from '../node/providerFactory';
import {
  folderPaths,
  openProviderSettings,
  providerLevels,
  touchesProviders,
  untrustedFolders,
  workspaceFolders,
} from './configuredProviders';
import { manageConsent } from './consentDialog';
import { contextSchemes, DocumentFeed } from './documentFeed';
import { ItemCount } from './itemCount';
import { ItemDecorations } from './itemDecorations';
import { ItemHovers } from './itemHovers';
import { ItemLenses } from './itemLenses';
import { showItems } from './itemPicker';
import { ProviderLogs } from './providerLogs';
import { ProviderSecrets } from './providerSecrets';
import { fileReader, lookupPlace } from './fileReader';

export interface ContextControllerOptions extends FeatureContext {
  /** ID of the status row. */
  readonly id: string;
  readonly title: string;
  readonly editor: Pick<EditorPort, 'resolve' | 'open' | 'stat'>;
  readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
  /** Global: permissions and the names of stored secrets. */
  readonly memento: Memento;
  /** Absolute path of `dist/context-worker.js`. */
  readonly workerFile: string;
  /** Absolute path of the folder for downloaded code. */
  readonly remoteFolder: string;
  readonly traffic: TrafficTap;
  /** For what the workspace defines. */
  readonly consent: Consent;
}

const providerKinds: readonly BroughtKind[] = ['providerModule', 'providerAddress', 'webCode'];

/** Providers change their state often while the user types. */
const statusMs = 200;

/** Connects the client to VS Code: settings, documents, the editor features and the AI features. */
export class ContextController implements Disposable {
  readonly mentions: ContextMentions;
  readonly chip: ContextChip;
  private readonly runInTime = timedRunner();
  private readonly logs = new ProviderLogs();
  private readonly store = new DisposableStore();
  private readonly allowed: AllowedRequests;
  private readonly secrets: ProviderSecrets;
  private readonly client: ContextClient;
  private readonly fileFilter: FileAccessFilter;
  private readonly feed: DocumentFeed;
  readonly reader: ContextReader;
  readonly lookups: ContextLookups;
  private readonly statusLater: Coalescer;
  private exclude: ExcludeList;
  private providers = noProviders;

  constructor(private readonly options: ContextControllerOptions) {
    const { clock, editor, log, memento, secrets, settings } = options;
    const onError = (error: unknown): void => log.error('something went wrong with context items', error);
    this.exclude = this.readExclude();
    // Excluded files are hidden from providers, too, wherever they are.
    this.fileFilter = new FileAccessFilter({
      folders: folderPaths,
      exclude: () => this.exclude,
      isWindows: process.platform === 'win32',
    });
    this.allowed = new AllowedRequests(memento);
    this.secrets = new ProviderSecrets({
      secrets,
      memento,
      wanted: () => this.providers.entries.flatMap((entry) => secretNames(entry.settings)),
    });
    const isAllowed = (request: RememberedRequest): boolean => this.allowed.has(request);
    const factory = new ProviderFactory({
      ...options,
      fetch: (url, init) => fetch(url, init),
      isAllowed,
      allowedCode: (url) => this.allowed.codeOf(url),
      decide: (thing) => this.decide(thing),
      untrustedFolders,
      workspaceFolders,
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
        runInTime: this.runInTime,
        logOf: (ref) => this.logs.logOf(ref),
        isAllowed,
        // Removed or restarted providers request consent again when they are next asked.
        onKept: (ids) => options.consent.keepOnly(providerKinds, ({ id }) => id !== undefined && ids.has(id)),
        createProvider: (entry) => factory.create(entry),
      },
      clientOptions,
    );
    this.feed = new DocumentFeed(this.client, this.fileFilter, onError);
    this.reader = fileReader(this.client, editor);
    this.lookups = new ContextLookups({
      clock,
      providers: this.client.providers,
      place: () => lookupPlace(editor),
    });
    this.mentions = new ContextMentions(this.reader, this.lookups);
    this.chip = new ContextChip(this.reader, memento, onError);
    this.statusLater = new Coalescer(clock, statusMs, () => this.showStatus());
  }

  start(): void {
    const { client, feed, store, options } = this;
    const onError = (error: unknown): void => options.log.error('something went wrong with context items', error);
    for (const part of [this.logs, client, this.lookups, this.chip, this.statusLater, feed]) store.add(part);
    const lenses = store.add(new ItemLenses(feed, () => options.settings.contextCodeLens(), onError));
    const decorations = store.add(new ItemDecorations(feed, () => options.settings.contextDecoration()));
    const count = store.add(new ItemCount(feed));
    const selector = contextSchemes.map((scheme) => ({ scheme }));
    store.add(vscode.languages.registerHoverProvider(selector, new ItemHovers(feed)));
    store.add(vscode.languages.registerCodeLensProvider(selector, lenses));
    store.add(
      feed.onDidUpdate(() => {
        lenses.refresh();
        this.chip.refresh();
        this.statusLater.schedule();
      }),
    );
    store.add(vscode.window.onDidChangeActiveTextEditor(() => this.chip.refresh()));
    store.add(client.onDidChangeStates(() => this.statusLater.schedule()));
    this.followSettings(lenses, decorations);
    this.configure();
    feed.start();
    decorations.start();
    count.start();
  }

  async run(id: CommandId, args: readonly unknown[]): Promise<void> {
    const { states } = this.client;
    const target = typeof args[0] === 'string' ? args[0] : undefined;
    switch (id) {
      case commandIds.contextShowItems:
        await showItems(this.feed, (url) => this.open(url), args[0]);
        return;
      case commandIds.contextToggle:
        await this.options.settings.toggleContext();
        return;
      case commandIds.contextRetry:
        this.retry(target === undefined ? states : [{ id: target }]);
        return;
      case commandIds.contextAllow:
        this.retry(await manageConsent(states, { allowed: this.allowed, consent: this.options.consent }, target));
        return;
      case commandIds.contextShowLog:
        await this.showLog(target);
        return;
      case commandIds.contextSetSecret:
        if (await this.secrets.manage()) this.retry(this.client.states);
        return;
      default:
        throw new Error(`${id} is not a command of context providers.`);
    }
  }

  async invokeTool(input: unknown, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const text = await withSignalOf(token, (signal) => answerContextTool(this, input, signal));
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  /** Tools for agents. Empty while there are no providers. */
  get tools(): readonly Tool[] {
    if (this.providers.entries.length === 0) return [];
    return [{ definition: contextItemsTool, run: (input, signal) => answerContextTool(this, input, signal) }];
  }

  dispose(): void {
    this.store.dispose();
  }

  private followSettings(lenses: ItemLenses, decorations: ItemDecorations): void {
    const { settings } = this.options;
    const { workspace } = vscode;
    const configure = (): void => this.configure();
    this.store.add(workspace.onDidGrantWorkspaceTrust(() => this.trusted()));
    this.store.add(workspace.onDidChangeWorkspaceFolders(configure));
    this.store.add(this.options.consent.onDidChange(() => this.answered()));
    this.store.add(workspace.onDidChangeConfiguration((change) => touchesProviders(change) && this.configure()));
    this.store.add(settings.onDidChangeOf([settingIds.contextEnabled], configure));
    this.store.add(settings.onDidChangeOf([settingIds.contextCodeLens], () => lenses.refresh()));
    this.store.add(settings.onDidChangeOf([settingIds.contextDecoration], () => decorations.restyle()));
    this.store.add(settings.onDidChangeOf([settingIds.exclude], () => void (this.exclude = this.readExclude())));
  }

  private readExclude(): ExcludeList {
    return new ExcludeList(this.options.settings.exclude(), { runInTime: this.runInTime });
  }

  /** A removed provider may still be working. It must not add to the list of questions. */
  private decide(thing: BroughtThing): ConsentDecision {
    const isNamed = this.providers.entries.some(({ id }) => id === thing.id);
    return isNamed ? this.options.consent.decide(thing) : 'ask';
  }

  private configure(): void {
    this.providers = this.options.settings.contextEnabled() ? listProviders(providerLevels()) : noProviders;
    this.fileFilter.forgetAll();
    this.client.configure(this.providers);
    this.showStatus();
  }

  /** Retries providers that failed for lack of trust. */
  private trusted(): void {
    this.configure();
    this.retry(this.client.states.filter(({ status }) => status === 'failing'));
  }

  /** Retries the providers whose permission was given or revoked. */
  private answered(): void {
    const { consent } = this.options;
    const hasOther = ({ consent: request }: ProviderState): boolean =>
      request?.kind === 'brought' && consent.decide(request.thing) !== (request.isDenied ? 'denied' : 'ask');
    const isTakenBack = ({ id }: ProviderState): boolean => {
      const { isOfUser = true, place } = this.client.providers.find(id)?.entry ?? {};
      return !isOfUser || place?.kind === 'module' || place?.kind === 'package';
    };
    this.retry(
      this.client.states.filter((state) => hasOther(state) || (state.status === 'ready' && isTakenBack(state))),
    );
  }

  private retry(states: readonly { readonly id: string }[]): void {
    for (const { id } of states) this.client.retry(id);
  }

  private showStatus(): void {
    const { id, title, settings, status } = this.options;
    const { problems, states } = this.client.providers;
    const document = vscode.window.activeTextEditor?.document;
    const answer = document && this.feed.peek(document);
    const notes = answer?.providerNotes.flatMap(({ provider, notes: [first] }) =>
      first ? [`${provider.title}: ${first}`] : [],
    );
    const isExcluded = document && contextSchemes.includes(document.uri.scheme) && this.feed.refusalOf(document);
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

  /** Lets the user choose a provider if no ID is given. */
  private async showLog(id: string | undefined): Promise<void> {
    const { states } = this.client;
    const picks = states.map((state) => ({ label: state.title, description: describeAbilities(state), id: state.id }));
    const chosen = id ?? (picks.length > 1 ? await pickProvider(picks) : picks[0]?.id);
    if (chosen === undefined || this.logs.show(chosen)) return;
    const title = states.find((state) => state.id === chosen)?.title ?? chosen;
    void vscode.window.showInformationMessage(`${title} has no log entries yet.`);
  }

  private async open(url: string): Promise<void> {
    if (url.startsWith('file:')) await this.options.editor.open(url);
    else await vscode.env.openExternal(vscode.Uri.parse(url, true));
  }
}

async function pickProvider(
  picks: readonly (vscode.QuickPickItem & { readonly id: string })[],
): Promise<string | undefined> {
  const options = { title: 'Log of a Context Provider', placeHolder: 'Choose a provider' };
  return (await vscode.window.showQuickPick(picks, options))?.id;
}

const actions = {
  showLog: commandIds.contextShowLog,
  toggle: commandIds.contextToggle,
  retry: commandIds.contextRetry,
  allow: commandIds.contextAllow,
  setSecret: commandIds.contextSetSecret,
  manageTrust: 'workbench.trust.manage',
  openSettings: openProviderSettings,
};
