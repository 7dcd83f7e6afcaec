import { rm } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { KeyedQueue } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { settingIds } from '../../manifest';
import { Messages } from '../../platform/vscode/messages';
import type { Settings } from '../../platform/vscode/settings';
import {
  clientConfigurations,
  type BridgeCommand,
  type ClientConfiguration,
} from '../common/clients/clientConfigurations';
import { installBridge } from '../node/clients/bridgeLauncher';
import { writeWindowFile } from '../node/clients/windowFiles';
import type { McpAddress } from '../node/mcpServer';

interface ExternalClientsDeps {
  readonly settings: Settings;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  /** Absolute path of a folder that all windows of the user share. */
  readonly sharedFolder: string;
  /** Absolute path of `dist/mcp-bridge.js`. */
  readonly bridgeFile: string;
  /** Starts the MCP server if needed. @throws Error if no port is available */
  readonly createAddress: () => Promise<McpAddress>;
  /** Refuses further requests to this address. Never rejects. */
  readonly revokeAddress: (address: McpAddress) => Promise<void>;
}

/** Lets MCP clients outside VS Code use the tools of this window, if the user has turned that on. */
export class ExternalClients implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly queue = new KeyedQueue();
  private readonly messages: Messages;
  private address: McpAddress | undefined;
  private bridgeCommand: BridgeCommand | undefined;
  private windowFile: string | undefined;
  private isStopped = false;

  constructor(private readonly deps: ExternalClientsDeps) {
    this.messages = new Messages(deps.log);
  }

  start(): void {
    const { settings } = this.deps;
    const ids = [settingIds.toolsEnabled, settingIds.toolsExternalClients];
    this.disposables.add(settings.onDidChangeOf(ids, () => void this.updateWindowFile()));
    this.disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.updateWindowFile()));
    this.disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.updateWindowFile()));
    void this.updateWindowFile();
  }

  /** Asks to turn the setting on, then which client to configure, and copies its configuration. @throws Error */
  async copyConfiguration(): Promise<void> {
    const { settings } = this.deps;
    if (!settings.toolsEnabled()) throw new Error(`The tools are off. Turn on the setting ${settingIds.toolsEnabled}.`);
    if (!settings.areExternalToolClientsAllowed() && !(await this.askToTurnOn())) return;
    const chosen = await this.chooseClient();
    if (!chosen) return;
    await vscode.env.clipboard.writeText(chosen.text);
    this.messages.info(`Copied the configuration for ${chosen.title}. ${chosen.hint}`);
  }

  /** Removes the file of this window. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.updateWindowFile();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private get isOn(): boolean {
    const { settings } = this.deps;
    const isAllowed = settings.toolsEnabled() && settings.areExternalToolClientsAllowed() && vscode.workspace.isTrusted;
    return isAllowed && !this.isStopped;
  }

  private get windowsFolder(): string {
    return path.join(this.deps.sharedFolder, 'windows');
  }

  private async askToTurnOn(): Promise<boolean> {
    const message = 'Let MCP clients on this computer use the tools of VS Code?';
    const detail =
      'Programs that run as you can then read the text, symbols and problems of workspaces that are open in VS Code, except for excluded files. They can change and run something only if you allow it. ' +
      `You can turn this off with the setting ${settingIds.toolsExternalClients}.`;
    const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, 'Turn On');
    if (answer !== 'Turn On') return false;
    const configuration = vscode.workspace.getConfiguration();
    await configuration.update(settingIds.toolsExternalClients, true, vscode.ConfigurationTarget.Global);
    return true;
  }

  /** Installs the bridge once. It belongs to this version of the extension and of VS Code. @throws Error of the file system */
  private async installBridge(): Promise<BridgeCommand> {
    const { bridgeFile, sharedFolder: folder } = this.deps;
    const { windowsFolder } = this;
    const { execPath: runtime, platform } = process;
    this.bridgeCommand ??= await installBridge({ folder, bridgeFile, runtime, windowsFolder, platform });
    return this.bridgeCommand;
  }

  private async chooseClient(): Promise<ClientConfiguration | undefined> {
    // Updates may install it, too.
    const bridge = await this.queue.run('update', () => this.installBridge());
    const items = clientConfigurations(bridge, process.platform).map((configuration) => ({
      label: configuration.title,
      detail: configuration.text.startsWith('{') ? configuration.hint : configuration.text,
      configuration,
    }));
    const title = 'Copy MCP Configuration';
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Select the MCP client' });
    return picked?.configuration;
  }

  /** Writes or removes the file of this window. Never rejects. */
  private async updateWindowFile(): Promise<void> {
    await this.queue
      .run('update', () => this.updateWindowFileNow())
      .catch((error: unknown) => {
        this.deps.log.error('MCP clients outside VS Code cannot find this window', error);
      });
  }

  private async updateWindowFileNow(): Promise<void> {
    const { createAddress, folders, now, revokeAddress } = this.deps;
    if (this.windowFile !== undefined) await rm(this.windowFile, { force: true });
    this.windowFile = undefined;
    if (!this.isOn || folders().length === 0) {
      if (this.address) await revokeAddress(this.address);
      this.address = undefined;
      return;
    }
    await this.installBridge();
    const { headers, url } = (this.address ??= await createAddress());
    this.windowFile = await writeWindowFile(this.windowsFolder, {
      version: 1,
      pid: process.pid,
      startedAt: now(),
      folders: [...folders()],
      url,
      authorization: headers['Authorization'] ?? '',
    });
  }
}
