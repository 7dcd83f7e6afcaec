import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { settingIds, type SettingId } from '../../manifest';
import {
  DecorationStyle,
  defaultPortRange,
  HoverTimeout,
  LensMode,
  parseGlobSwitches,
  parsePortRange,
  type PortRange,
} from '../common/settings';

/** The value of `backline.acp.agents` at one level. */
interface AgentsLevel {
  readonly value: unknown;
  /** Whether the user trusts it to say what is run. */
  readonly isTrusted: boolean;
  /** Which part of the workspace says so; absent for the user's own settings. */
  readonly origin?: SettingsOrigin;
}

interface SettingsOrigin {
  /** Of the workspace or the folder, as the user knows it. */
  readonly name: string;
  /** Where its settings are kept, absolute; undefined when that is not on this disk. */
  readonly file: string | undefined;
}

/** Backline's settings, checked. A value that does not parse is said in the log and counts as the default. */
export class Settings implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(
    new Emitter<SettingId>((error) => this.log.error('a settings listener failed', error)),
  );
  /** Fires once for each setting that a change may have touched. */
  readonly onDidChange = this.emitter.event;

  constructor(private readonly log: Logger) {}

  start(): void {
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        for (const id of Object.values(settingIds)) {
          if (change.affectsConfiguration(id)) this.emitter.fire(id);
        }
      }),
    );
  }

  /** Calls back for each of these settings that a change may have touched. */
  onDidChangeOf(ids: readonly SettingId[], listener: () => void): Disposable {
    return this.onDidChange((id) => {
      if (ids.includes(id)) listener();
    });
  }

  /** See `GlobSetting.globs`. Writes what is wrong into the log, so call it once for each change. */
  exclude(): readonly string[] {
    return this.globs(settingIds.exclude);
  }

  /** As `exclude`. */
  protectedFiles(): readonly string[] {
    return this.globs(settingIds.protectedFiles);
  }

  /** The user's off is final: a workspace, whose settings an agent can write, may switch off but not on. */
  ampEnabled(): boolean {
    return this.isOn(settingIds.ampEnabled);
  }

  /** As `ampEnabled`. */
  toolsEnabled(): boolean {
    return this.isOn(settingIds.toolsEnabled);
  }

  ampPortRange(): PortRange {
    const value = this.read(settingIds.ampPortRange);
    const range = parsePortRange(value);
    if (!range) this.log.warn(`${settingIds.ampPortRange} is not a range such as "8000-8100": using the default`);
    return range ?? defaultPortRange;
  }

  /** The agents of each level, from the widest to the narrowest. */
  acpAgents(): readonly AgentsLevel[] {
    const { isTrusted, workspaceFile, workspaceFolders = [] } = vscode.workspace;
    const whole = vscode.workspace.getConfiguration().inspect(settingIds.acpAgents);
    // Only in a multi-root workspace do folders have settings of their own.
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

  /** Unchecked. What a workspace says comes from `workspace` and each of its folders. */
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

  /** Into the user's settings. @throws Error when they cannot be written, for example since the file has errors */
  async setPermissions(value: Readonly<Record<string, unknown>>): Promise<void> {
    const written = Object.keys(value).length === 0 ? undefined : value;
    await vscode.workspace
      .getConfiguration()
      .update(settingIds.permissions, written, vscode.ConfigurationTarget.Global);
  }

  /** As they are set: an address that is wrong must not count as another one. */
  amplifierServer(): { readonly host: unknown; readonly port: unknown } {
    return { host: this.read(settingIds.amplifierHost), port: this.read(settingIds.amplifierPort) };
  }

  /** Empty for the usual one of the server. */
  amplifierProfile(): string {
    const value = this.read(settingIds.amplifierProfile);
    return typeof value === 'string' ? value.trim() : '';
  }

  /** The backend of new conversations, by id or title; empty for the one used last. */
  chatBackend(): string {
    const value = this.read(settingIds.chatBackend);
    return typeof value === 'string' ? value.trim() : '';
  }

  /** Whether changes of agents have Keep and Undo above them in editors. */
  reviewCodeLens(): boolean {
    return this.read(settingIds.reviewCodeLens) === true;
  }

  checkpointsEnabled(): boolean {
    return this.read(settingIds.checkpointsEnabled) !== false;
  }

  /** How long checkpoints are kept, and how much of them for each workspace folder, in bytes. */
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

  /** More folders with threads, as they are written in the settings. */
  threadsFolders(): readonly string[] {
    const value = this.read(settingIds.threadsFolders);
    return Array.isArray(value) ? value.filter((folder): folder is string => typeof folder === 'string') : [];
  }

  contextEnabled(): boolean {
    return this.read(settingIds.contextEnabled) !== false;
  }

  /** Where it is decided now: in the workspace if that says something, else for the user. */
  async toggleContext(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration();
    const isOfWorkspace = configuration.inspect(settingIds.contextEnabled)?.workspaceValue !== undefined;
    const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await configuration.update(settingIds.contextEnabled, !this.contextEnabled(), target);
  }

  contextCodeLens(): LensMode {
    return LensMode.parse(this.read(settingIds.contextCodeLens));
  }

  contextDecoration(): DecorationStyle {
    return DecorationStyle.parse(this.read(settingIds.contextDecoration));
  }

  contextHoverTimeoutMs(): number {
    return HoverTimeout.parse(this.read(settingIds.contextHoverTimeoutMs));
  }

  dispose(): void {
    this.store.dispose();
  }

  private globs(id: SettingId): readonly string[] {
    const found = vscode.workspace.getConfiguration().inspect(id);
    const { globs, problems } = parseGlobSwitches({
      defaults: found?.defaultValue,
      user: found?.globalValue,
      workspace: found?.workspaceValue,
    });
    if (problems.length > 0) this.log.warn(`${id}: ${problems.join('; ')}`);
    return globs;
  }

  private isOn(id: SettingId): boolean {
    const found = vscode.workspace.getConfiguration().inspect(id);
    return (found?.globalValue ?? found?.defaultValue) !== false && found?.workspaceValue !== false;
  }

  private read(id: SettingId): unknown {
    return vscode.workspace.getConfiguration().get<unknown>(id);
  }
}

/** Of the workspace file, or of the one folder. */
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
