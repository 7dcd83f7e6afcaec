import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { NetworkSettings } from '../../wire/common/networkEnvironment';
import { settingIds, type SettingId } from '../../manifest';
import {
  ContextDecorationStyle,
  defaultPortRange,
  ContextHoverTimeoutMs,
  ContextCodeLensMode,
  mergeGlobLevels,
  parsePortRange,
  ChatAlertLevel,
  EnterDuringTurn,
  SaveBeforePrompt,
  type PortRange,
} from '../common/settings';

/** The value of `backline.acp.agents` at one configuration level. */
interface AgentsLevel {
  readonly value: unknown;
  /** Whether the user trusts this level, so that its programs may run. */
  readonly isTrusted: boolean;
  /** Where the value is set. Absent for the user settings. */
  readonly origin?: SettingsOrigin;
}

interface ServerAddress {
  readonly host: unknown;
  readonly port: unknown;
  /** Whether `port` is the default value of the setting. */
  readonly isDefaultPort: boolean;
}

/** The address of the Amplifier server. */
interface AmplifierServerSettings extends ServerAddress {
  /** The address without the settings of the workspace. */
  readonly ofUser: ServerAddress;
  /** Set if the workspace defines at least a part of the address. */
  readonly workspace?: SettingsOrigin;
}

interface SettingsOrigin {
  /** Name of the workspace or folder. */
  readonly name: string;
  /** Absolute path of the settings file. Undefined if it is not on disk. */
  readonly file: string | undefined;
}

/** Checked access to Backline's settings. For an invalid value, the default is used. */
export class Settings implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<SettingId>((error) => this.log.error('a settings listener failed', error)),
  );
  /** Fires once for each setting that may have changed. */
  readonly onDidChange = this.changeEmitter.event;

  /** Values of `isEnabled`, because VS Code takes long to look one up. Undefined while changes are not followed. */
  private enabledById: Map<SettingId, boolean> | undefined;

  constructor(private readonly log: Logger) {}

  start(): void {
    this.enabledById = new Map();
    this.disposables.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        this.enabledById?.clear();
        for (const id of Object.values(settingIds)) {
          if (change.affectsConfiguration(id)) this.changeEmitter.fire(id);
        }
      }),
    );
  }

  onDidChangeOf(ids: readonly SettingId[], listener: () => void): Disposable {
    return this.onDidChange((id) => {
      if (ids.includes(id)) listener();
    });
  }

  /** The globs of `backline.exclude`. Logs problems, so call it only once per change. */
  excludeGlobs(): readonly string[] {
    return this.readGlobs(settingIds.exclude);
  }

  /** The globs of `backline.protectedFiles`. Logs problems, so call it only once per change. */
  protectedFileGlobs(): readonly string[] {
    return this.readGlobs(settingIds.protectedFiles);
  }

  /** Whether the Amp server is turned on. Workspace settings can only turn it off, because agents can write them. */
  ampEnabled(): boolean {
    return this.isEnabled(settingIds.ampEnabled);
  }

  /** Whether agents can use VS Code's tools. Workspace settings, which agents can write, can only turn them off. */
  toolsEnabled(): boolean {
    return this.isEnabled(settingIds.toolsEnabled);
  }

  /** VS Code's own settings for network connections. Values of a workspace do not count. */
  network(): NetworkSettings {
    const http = vscode.workspace.getConfiguration('http');
    const valueOf = (name: string): unknown => http.inspect(name)?.globalValue;
    const [proxy, noProxy] = [valueOf('proxy'), valueOf('noProxy')];
    return {
      proxy: typeof proxy === 'string' ? proxy : '',
      noProxy: Array.isArray(noProxy) ? noProxy.filter((host) => typeof host === 'string') : [],
      trustsSystemCertificates: valueOf('systemCertificates') !== false,
      verifiesCertificates: valueOf('proxyStrictSSL') !== false,
    };
  }

  /** VS Code's own setting for folders with prompt files, unchecked. */
  promptFileLocations(): { readonly ofUser: unknown; readonly ofWorkspace: unknown } {
    const found = vscode.workspace.getConfiguration('chat').inspect('promptFilesLocations');
    return { ofUser: found?.globalValue, ofWorkspace: found?.workspaceValue };
  }

  /** Whether programs outside VS Code can use the tools. Only the user settings count. */
  areExternalToolClientsAllowed(): boolean {
    return vscode.workspace.getConfiguration().inspect(settingIds.toolsExternalClients)?.globalValue === true;
  }

  ampPortRange(): PortRange {
    const value = this.read(settingIds.ampPortRange);
    const range = parsePortRange(value);
    if (!range) this.log.warn(`${settingIds.ampPortRange} is not a range such as "8000-8100". Using the default.`);
    return range ?? defaultPortRange;
  }

  /** Returns the values of all levels: user, workspace, then workspace folders. */
  acpAgentsByLevel(): readonly AgentsLevel[] {
    const { isTrusted, workspaceFile, workspaceFolders = [] } = vscode.workspace;
    const whole = vscode.workspace.getConfiguration().inspect(settingIds.acpAgents);
    // Folders have their own settings only in a multi-root workspace.
    const folders = (workspaceFile ? workspaceFolders : []).map(({ name, uri }) => ({
      value: vscode.workspace.getConfiguration(undefined, uri).inspect(settingIds.acpAgents)?.workspaceFolderValue,
      isTrusted,
      origin: { name, file: settingsFileOf(uri) },
    }));
    return [
      { value: whole?.globalValue, isTrusted: true },
      { value: whole?.workspaceValue, isTrusted, origin: workspaceOrigin() },
      ...folders,
    ];
  }

  /** Writes to the user settings. @throws Error if they cannot be written, for example because the file has errors */
  async setAcpAgents(value: Readonly<Record<string, unknown>>): Promise<void> {
    await this.writeUserTable(settingIds.acpAgents, value);
  }

  /**
   * The address of the registry of agents. Only the user settings count. Not checked here, so that an invalid one is
   * reported.
   */
  agentsRegistryUrl(): string {
    const found = vscode.workspace.getConfiguration().inspect(settingIds.agentsRegistry);
    const value = found?.globalValue ?? found?.defaultValue;
    return typeof value === 'string' ? value.trim() : '';
  }

  /** Whether updates of agents are installed without asking. Only the user settings count. */
  agentsAutoUpdate(): boolean {
    return vscode.workspace.getConfiguration().inspect(settingIds.agentsAutoUpdate)?.globalValue === true;
  }

  /** The unchecked values of `backline.permissions`. `workspace`: those of the workspace and of each folder. */
  permissions(): { readonly user: unknown; readonly workspace: readonly unknown[] } {
    const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
    const whole = vscode.workspace.getConfiguration().inspect(settingIds.permissions);
    const folders = (workspaceFile ? workspaceFolders : []).map(({ uri }) =>
      vscode.workspace.getConfiguration(undefined, uri).inspect(settingIds.permissions),
    );
    return {
      user: whole?.globalValue,
      workspace: [whole?.workspaceValue, ...folders.map((folder) => folder?.workspaceFolderValue)],
    };
  }

  /** Writes the permissions to the user settings. @throws Error if not possible: the file may have errors */
  async setPermissions(value: Readonly<Record<string, unknown>>): Promise<void> {
    await this.writeUserTable(settingIds.permissions, value);
  }

  /**
   * Returns the address of the Amplifier server. It is not checked here, so that an invalid address is reported and not
   * replaced by the default.
   */
  amplifierServer(): AmplifierServerSettings {
    const host = this.levelsOf(settingIds.amplifierHost);
    const port = this.levelsOf(settingIds.amplifierPort);
    const isOfWorkspace = host.workspace !== undefined || port.workspace !== undefined;
    return {
      host: host.workspace ?? host.user,
      port: port.workspace ?? port.user,
      isDefaultPort: port.isDefault && port.workspace === undefined,
      ofUser: { host: host.user, port: port.user, isDefaultPort: port.isDefault },
      ...(isOfWorkspace ? { workspace: workspaceOrigin() } : {}),
    };
  }

  /** Returns the profile for new Amplifier sessions. Empty for the server's default. */
  amplifierProfile(): string {
    return this.readText(settingIds.amplifierProfile);
  }

  /** Returns the id or title of the backend for new conversations, of each level. Empty if a level names none. */
  chatBackend(): { readonly ofUser: string; readonly ofWorkspace: string } {
    return this.textLevelsOf(settingIds.chatBackend);
  }

  /** Returns what agents are told in each turn, of each level. Empty if a level says nothing. */
  chatInstructions(): { readonly ofUser: string; readonly ofWorkspace: string } {
    return this.textLevelsOf(settingIds.chatInstructions);
  }

  /** The unchecked values of `backline.chat.presets`. */
  chatPresets(): { readonly user: unknown; readonly workspace: unknown } {
    return this.levelsOf(settingIds.chatPresets);
  }

  /** Writes the presets to the user settings. @throws Error if not possible: the file may have errors */
  async setChatPresets(value: Readonly<Record<string, unknown>>): Promise<void> {
    await this.writeUserTable(settingIds.chatPresets, value);
  }

  saveBeforePrompt(): SaveBeforePrompt {
    return SaveBeforePrompt.parse(this.read(settingIds.chatSaveBeforePrompt));
  }

  enterDuringTurn(): EnterDuringTurn {
    return EnterDuringTurn.parse(this.read(settingIds.chatEnterDuringTurn));
  }

  chatNotifications(): ChatAlertLevel {
    return ChatAlertLevel.catch('all').parse(this.read(settingIds.chatNotifications));
  }

  chatSystemNotifications(): ChatAlertLevel {
    return ChatAlertLevel.catch('needsInput').parse(this.read(settingIds.chatSystemNotifications));
  }

  chatSound(): ChatAlertLevel {
    return ChatAlertLevel.catch('off').parse(this.read(settingIds.chatSound));
  }

  /** Writes the value to the user settings. @throws Error if they cannot be written */
  async setSaveBeforePrompt(value: SaveBeforePrompt): Promise<void> {
    await vscode.workspace
      .getConfiguration()
      .update(settingIds.chatSaveBeforePrompt, value, vscode.ConfigurationTarget.Global);
  }

  /** Whether editors show Keep and Undo above changes of agents. */
  reviewCodeLens(): boolean {
    return this.read(settingIds.reviewCodeLens) === true;
  }

  /** When hovers say who wrote a line. */
  authorshipHover(): 'off' | 'onCommand' | 'on' {
    const value = this.read(settingIds.authorshipHover);
    return value === 'off' || value === 'on' ? value : 'onCommand';
  }

  /** Whether conversations that begin with a problem and the like are sent at once. Only the user settings count. */
  sendsStartingPoints(): boolean {
    return vscode.workspace.getConfiguration().inspect(settingIds.startingPointsSend)?.globalValue === true;
  }

  checkpointsEnabled(): boolean {
    return this.read(settingIds.checkpointsEnabled) !== false;
  }

  /** Returns how long checkpoints are kept, and the maximum size of those of each workspace folder. */
  checkpointRetention(): { readonly maxAgeMs: number; readonly maxBytes: number } {
    const numberOf = (id: SettingId, fallback: number): number => {
      const value = this.read(id);
      return typeof value === 'number' && value >= 0 ? value : fallback;
    };
    return {
      maxAgeMs: numberOf(settingIds.checkpointsKeepDays, 14) * 24 * 60 * 60_000,
      maxBytes: numberOf(settingIds.checkpointsMaxMegabytes, 2_000) * 1_000_000,
    };
  }

  /** Returns additional folders with Amp threads, as written in the setting. */
  threadsFolders(): readonly string[] {
    const value = this.read(settingIds.threadsFolders);
    return Array.isArray(value) ? value.filter((folder): folder is string => typeof folder === 'string') : [];
  }

  contextEnabled(): boolean {
    return this.read(settingIds.contextEnabled) !== false;
  }

  /** Turns context providers on or off, in the workspace setting if there is one, otherwise the user setting. */
  async toggleContext(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration();
    const isOfWorkspace = configuration.inspect(settingIds.contextEnabled)?.workspaceValue !== undefined;
    const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await configuration.update(settingIds.contextEnabled, !this.contextEnabled(), target);
  }

  contextCodeLens(): ContextCodeLensMode {
    return ContextCodeLensMode.parse(this.read(settingIds.contextCodeLens));
  }

  contextDecoration(): ContextDecorationStyle {
    return ContextDecorationStyle.parse(this.read(settingIds.contextDecoration));
  }

  contextHoverTimeoutMs(): number {
    return ContextHoverTimeoutMs.parse(this.read(settingIds.contextHoverTimeoutMs));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private readGlobs(id: SettingId): readonly string[] {
    const found = vscode.workspace.getConfiguration().inspect(id);
    const { globs, problems } = mergeGlobLevels({
      defaults: found?.defaultValue,
      user: found?.globalValue,
      workspace: found?.workspaceValue,
    });
    if (problems.length > 0) this.log.warn(`${id}: ${problems.join('; ')}`);
    return globs;
  }

  private isEnabled(id: SettingId): boolean {
    const known = this.enabledById?.get(id);
    if (known !== undefined) return known;
    const found = vscode.workspace.getConfiguration().inspect(id);
    const isEnabled = (found?.globalValue ?? found?.defaultValue) !== false && found?.workspaceValue !== false;
    this.enabledById?.set(id, isEnabled);
    return isEnabled;
  }

  private async writeUserTable(id: SettingId, value: Readonly<Record<string, unknown>>): Promise<void> {
    const written = Object.keys(value).length === 0 ? undefined : value;
    await vscode.workspace.getConfiguration().update(id, written, vscode.ConfigurationTarget.Global);
  }

  /** The value of the workspace, and that of the user settings, or the default (`isDefault`). */
  private levelsOf(id: SettingId): {
    readonly user: unknown;
    readonly isDefault: boolean;
    readonly workspace: unknown;
  } {
    const found = vscode.workspace.getConfiguration().inspect(id);
    const workspace = vscode.workspace.isTrusted ? (found?.workspaceFolderValue ?? found?.workspaceValue) : undefined;
    const own = found?.globalValue;
    return { user: own ?? found?.defaultValue, isDefault: own === undefined, workspace };
  }

  private textLevelsOf(id: SettingId): { readonly ofUser: string; readonly ofWorkspace: string } {
    const { user, workspace } = this.levelsOf(id);
    const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
    return { ofUser: textOf(user), ofWorkspace: textOf(workspace) };
  }

  private readText(id: SettingId): string {
    const value = this.read(id);
    return typeof value === 'string' ? value.trim() : '';
  }

  private read(id: SettingId): unknown {
    return vscode.workspace.getConfiguration().get<unknown>(id);
  }
}

/** Returns the origin of workspace settings: the workspace file, or the only folder. */
function workspaceOrigin(): SettingsOrigin {
  const { name = 'workspace', workspaceFile, workspaceFolders: [folder] = [] } = vscode.workspace;
  if (!workspaceFile) return { name: folder?.name ?? name, file: folder && settingsFileOf(folder.uri) };
  const isOnDisk = workspaceFile.scheme === 'file';
  const ownName = path.posix.basename(workspaceFile.path).replace(/\.code-workspace$/, '');
  return { name: isOnDisk ? ownName : name, file: isOnDisk ? workspaceFile.fsPath : undefined };
}

function settingsFileOf(folder: vscode.Uri): string | undefined {
  return folder.scheme === 'file' ? vscode.Uri.joinPath(folder, '.vscode', 'settings.json').fsPath : undefined;
}
