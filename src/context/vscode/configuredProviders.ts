import * as vscode from 'vscode';
import { settingIds } from '../../manifest';
import { openSettingsAction } from '../../platform/common/statusActions';
import type { ProviderSettingsLevel, ProviderSettingsLevels } from '../common/providers/providerSettings';

/** The setting of the OpenCtx extension for providers. */
const openctxProviders = 'openctx.providers';
const openctxEnable = 'openctx.enable';

export const openProviderSettingsAction = openSettingsAction(settingIds.contextProviders);

export function affectsProviderSettings(change: vscode.ConfigurationChangeEvent): boolean {
  const settings = [settingIds.contextProviders, openctxProviders, openctxEnable];
  return settings.some((setting) => change.affectsConfiguration(setting));
}

export function readProviderSettingsLevels(): ProviderSettingsLevels {
  const { isTrusted, workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const whole = levelsIn(undefined);
  return {
    user: levelOf(whole, 'globalValue'),
    workspace: {
      ...levelOf(whole, 'workspaceValue'),
      file: workspaceFile ? pathOf(workspaceFile) : settingsFileOf(workspaceFolders[0]?.uri),
    },
    workspaceBase: workspaceFile?.scheme === 'file' ? vscode.Uri.joinPath(workspaceFile, '..').toString() : undefined,
    folders: workspaceFolders.map(({ uri }) => ({
      uri: uri.toString().replace(/\/$/, ''),
      settings: { ...levelOf(levelsIn(uri), 'workspaceFolderValue'), file: settingsFileOf(uri) },
    })),
    isTrusted,
  };
}

export function workspaceFolderPaths(): readonly string[] {
  const { workspaceFolders = [] } = vscode.workspace;
  return workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** Returns the URIs of the folders whose code must not run. */
export function untrustedFolderUris(): readonly string[] {
  return vscode.workspace.isTrusted ? [] : workspaceFolderUris();
}

export function workspaceFolderUris(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

export function hasProviders({ user, workspace, folders }: ProviderSettingsLevels): boolean {
  const isSet = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const levels = [user, workspace, ...folders.map(({ settings }) => settings)];
  return levels.some(({ backline, openctx }) => isSet(backline) || isSet(openctx));
}

function settingsFileOf(folder: vscode.Uri | undefined): string | undefined {
  return folder && pathOf(vscode.Uri.joinPath(folder, '.vscode', 'settings.json'));
}

function pathOf(file: vscode.Uri): string | undefined {
  return file.scheme === 'file' ? file.fsPath : undefined;
}

type Levels = Readonly<Record<'backline' | 'openctx' | 'openctxEnable', Inspected | undefined>>;
interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

function levelsIn(folder: vscode.Uri | undefined): Levels {
  const configuration = vscode.workspace.getConfiguration(undefined, folder ?? null);
  return {
    backline: configuration.inspect(settingIds.contextProviders),
    openctx: configuration.inspect(openctxProviders),
    openctxEnable: configuration.inspect(openctxEnable),
  };
}

function levelOf({ backline, openctx, openctxEnable: enable }: Levels, level: keyof Inspected): ProviderSettingsLevel {
  return { backline: backline?.[level], openctx: openctx?.[level], openctxEnable: enable?.[level] };
}
