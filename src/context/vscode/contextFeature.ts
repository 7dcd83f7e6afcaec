import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { Feature, RunningFeature } from '../../base/common/feature';
import { commandIds, settingIds, type CommandId } from '../../manifest';
import type { ContextItemsChipView } from '../common/ai/contextItemsChip';
import type { ContextMention, ContextMentions } from '../common/ai/contextMentions';
import type { ToolProvider } from '../../tools/common/toolProvider';
import {
  hasProviders,
  openProviderSettingsAction,
  readProviderSettingsLevels,
  affectsProviderSettings,
} from './configuredProviders';
import type { ContextController, ContextControllerDeps } from './contextController';

type ContextFeatureDeps = Omit<ContextControllerDeps, 'id' | 'title'>;

type ContextMentionSource = Pick<ContextMentions, 'kind' | 'isSearching' | 'waitForMoreResults' | 'search' | 'resolve'>;

/** Context for prompts, in the same form as the chip sources of the chat. */
interface ContextChipSource {
  readonly onDidChange: Event<void>;
  chipsFor(backendId: string): Promise<readonly ContextItemsChipView[]>;
  set(kind: string, isOn: boolean): void;
  /** Returns the mentions that are added to a prompt. Empty while the chip is off. */
  mentions(): Promise<readonly ContextMention[]>;
}

const controllerCommands: readonly CommandId[] = [
  commandIds.contextShowItems,
  commandIds.contextToggle,
  commandIds.contextRetry,
  commandIds.contextAllow,
  commandIds.contextSetSecret,
  commandIds.contextShowLog,
];

/** Context providers, for users and AI. The bundle is loaded when providers are configured or needed. */
export class ContextFeature implements Feature {
  readonly id = 'context';
  readonly title = 'Context providers';
  private readonly chipChangeEmitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  private disposables: DisposableStore | undefined;
  private loadPromise: Promise<ContextController> | undefined;
  private controller: ContextController | undefined;

  constructor(private readonly deps: ContextFeatureDeps) {}

  get mentions(): ContextMentionSource {
    const mentions = (): ContextMentions | undefined => this.controller?.mentions;
    return {
      kind: 'context',
      isSearching: (query) => mentions()?.isSearching(query) ?? false,
      waitForMoreResults: async (query, signal) => (await mentions()?.waitForMoreResults(query, signal)) ?? false,
      search: async (query, signal) => (await mentions()?.search(query, signal)) ?? [],
      resolve: async (attachment, signal) => (await mentions()?.resolve(attachment, signal)) ?? [],
    };
  }

  get chipSource(): ContextChipSource {
    return {
      onDidChange: this.chipChangeEmitter.event,
      chipsFor: async () => (await this.controller?.chip.chips()) ?? [],
      set: (kind, isOn) => this.controller?.chip.setOn(kind, isOn),
      mentions: async () => (await this.controller?.chip.mentions()) ?? [],
    };
  }

  /** The tool with which agents request context items. */
  get toolProvider(): ToolProvider {
    const tools = (): ToolProvider['tools'] => this.controller?.tools ?? [];
    return {
      get tools() {
        return tools();
      },
    };
  }

  async start(): Promise<RunningFeature> {
    const { commands, log } = this.deps;
    const disposables = new DisposableStore();
    this.disposables = disposables;
    disposables.add(this.chipChangeEmitter);
    for (const id of controllerCommands)
      disposables.add(commands.setHandler(id, async (...args) => await (await this.load()).runCommand(id, args)));
    disposables.add(
      vscode.lm.registerTool<object>('backline_context', {
        invoke: async ({ input }, token) => await (await this.load()).invokeTool(input, token),
        prepareInvocation: () => ({ invocationMessage: 'Querying context providers' }),
      }),
    );
    disposables.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!affectsProviderSettings(change) || !hasProviders(readProviderSettingsLevels())) return;
        this.load().catch((error: unknown) => log.error('cannot start context providers', error));
      }),
    );
    if (hasProviders(readProviderSettingsLevels())) await this.load();
    else this.showUnconfigured();
    return disposables;
  }

  private load(): Promise<ContextController> {
    const loading = (this.loadPromise ??= this.createController());
    loading.catch(() => {
      if (this.loadPromise === loading) this.loadPromise = undefined;
    });
    return loading;
  }

  private async createController(): Promise<ContextController> {
    const { disposables } = this;
    const { ContextController } = await import('./contextController');
    if (!disposables || disposables.isDisposed) throw new Error('Context providers are not running.');
    const { id, title, deps } = this;
    const controller = disposables.add(new ContextController({ ...deps, id, title }));
    disposables.add(controller.chip.onDidChange(() => this.chipChangeEmitter.fire()));
    controller.start();
    this.controller = controller;
    return controller;
  }

  /** Shows the status if no providers are configured and the controller is not loaded. */
  private showUnconfigured(): void {
    const { id, title } = this;
    this.deps.status.set({
      id,
      title,
      state: 'off',
      summary: `No context providers configured. Add one in ${settingIds.contextProviders}.`,
      actions: [openProviderSettingsAction],
    });
  }
}
