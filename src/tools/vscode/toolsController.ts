import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { RunningFeature } from '../../base/common/feature';
import { createTimeLimitedRunner } from '../../base/node/timeLimitedRunner';
import type { EditorPort } from '../../editor/common/editorPort';
import { settingIds } from '../../manifest';
import { withAbortSignal } from '../../platform/vscode/cancellation';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { EditorSearch } from '../common/search/editorSearch';
import { EditorTools, toolInstructions } from '../common/editorTools';
import type { TextSearch } from '../common/search/textSearch';
import type { Tool, ToolProvider } from '../common/toolProvider';
import type { ToolCaller } from '../../session/common/toolCaller';
import { McpServer, type McpAddress } from '../node/mcpServer';
import { RipgrepSearch } from '../node/ripgrepSearch';
import { ExternalClients } from './externalClients';
import { LanguageEdits } from './languageEdits';
import { LanguageFeatures } from './languageFeatures';
import { LazySearch } from './lazySearch';
import { findRipgrep, searchExcludeGlobs } from './ripgrepProgram';
import { WindowTasks } from './windowTasks';
import { WindowTests } from './windowTests';
import { WindowState } from './windowState';

export interface ToolsControllerDeps extends FeatureContext {
  readonly editor: EditorPort;
  readonly providers: readonly ToolProvider[];
  readonly version: string;
  /** Creates the caller for a client outside VS Code, with the name that it reports. */
  readonly createCaller: (clientName: string | undefined) => ToolCaller;
  /** Calls the tools that VS Code's chat uses. */
  readonly chatCaller: ToolCaller;
  /** Absolute path of a folder for tools that all windows of the user share. It need not exist. */
  readonly sharedFolder: string;
  /** Absolute path of `dist/mcp-bridge.js`. */
  readonly bridgeFile: string;
}

/** Time limit for searching one file without ripgrep. */
const patternTimeoutMs = 1_000;

export class ToolsController implements RunningFeature {
  private readonly disposables = new DisposableStore();
  private readonly editorTools: EditorTools;
  private readonly externalClients: ExternalClients;
  private pendingServerStart: Promise<McpServer> | undefined;
  private isStopped = false;

  constructor(private readonly deps: ToolsControllerDeps) {
    const { clock, editor } = deps;
    const window = new WindowState();
    const search = new LazySearch(() => chooseSearch(deps, window));
    const language = new LanguageFeatures(clock);
    const tasks = new WindowTasks(() => editor.folders[0]?.path ?? homedir(), clock);
    const languageEdits = new LanguageEdits(clock);
    this.editorTools = this.disposables.add(
      new EditorTools({ editor, language, languageEdits, search, tasks, tests: new WindowTests(), window, clock }),
    );
    this.externalClients = this.disposables.add(
      new ExternalClients({
        ...deps,
        now: () => clock.now(),
        folders: () => editor.folders.map(({ path }) => path),
        createAddress: () => this.createAddress((server) => server.createAddress(deps.createCaller)),
        revokeAddress: async (address) =>
          (await this.pendingServerStart?.catch(() => undefined))?.revokeAddress(address),
      }),
    );
    this.externalClients.start();
  }

  /** Copies the configuration for an MCP client that the user selects. @throws Error */
  async copyConfiguration(): Promise<void> {
    await this.externalClients.copyConfiguration();
  }

  /** Starts the server on first use. @throws Error if no port is available */
  async createSessionAddress(caller: ToolCaller | undefined): Promise<McpAddress> {
    return await this.createAddress((server) =>
      caller ? server.createSessionAddress(caller) : server.createAddress(),
    );
  }

  /** Runs a tool for VS Code's chat. @throws Error with a message for the model */
  async invokeTool(
    name: string,
    input: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (!tool) throw new Error(`The tools are off: the user can change ${settingIds.toolsEnabled}.`);
    const text = await withAbortSignal(token, (signal) => tool.run(input, signal, this.deps.chatCaller));
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.externalClients.stop();
    await (await this.pendingServerStart?.catch(() => undefined))?.stop();
  }

  dispose(): void {
    this.disposables.dispose();
    void this.stop();
  }

  /** The current tools. Empty while the user has turned tools off, also for sessions that already use the server. */
  private get tools(): readonly Tool[] {
    const { providers, settings } = this.deps;
    if (!settings.toolsEnabled()) return [];
    return [this.editorTools, ...providers].flatMap(({ tools }) => tools);
  }

  private async createAddress(create: (server: McpServer) => McpAddress): Promise<McpAddress> {
    const starting = (this.pendingServerStart ??= this.startServer());
    try {
      return create(await starting);
    } catch (error) {
      if (this.pendingServerStart === starting) this.pendingServerStart = undefined;
      throw error;
    }
  }

  private async startServer(): Promise<McpServer> {
    if (this.isStopped) throw new Error('Backline has stopped in this window.');
    const { clock, log, version } = this.deps;
    const tools = (): readonly Tool[] => this.tools;
    const provider = {
      get tools() {
        return tools();
      },
    };
    const server = new McpServer({
      name: 'backline',
      version,
      instructions: toolInstructions,
      providers: [provider],
      clock,
      log,
    });
    await server.start();
    return server;
  }
}

async function chooseSearch({ editor, log }: ToolsControllerDeps, window: WindowState): Promise<TextSearch> {
  const program = await findRipgrep();
  if (program !== undefined) {
    return new RipgrepSearch({
      program,
      folders: () => editor.folders.map(({ path }) => path),
      hiddenGlobs: searchExcludeGlobs,
      unsavedFiles: () => window.unsavedFiles,
    });
  }
  log.info('There is no ripgrep in this VS Code: text is searched by the extension itself');
  return new EditorSearch(editor, createTimeLimitedRunner(patternTimeoutMs));
}
