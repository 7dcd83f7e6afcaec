import * as z from 'zod';
import type { ConsentSubjectSource } from '../../../consent/common/consentSubject';
import { settingIds } from '../../../manifest';
import type { ProviderSettings } from './contextProvider';
import { isUriInFolder, parseProviderUri, type ProviderLocation } from './providerUri';
import type { SelectorCombination } from './selector';

export interface ProviderEntry {
  /** The key in the settings. If folders define different providers with the same key, a number is appended. */
  readonly id: string;
  /** Display name. Used until the provider gives its own. */
  readonly title: string;
  readonly place: ProviderLocation;
  /** The settings as the user has written them, with references to secrets. */
  readonly settings: ProviderSettings;
  readonly selectorMatch: SelectorCombination;
  /** Whether the user settings define exactly this provider. Its code may still be in the workspace. */
  readonly isUserDefined: boolean;
  /** The place that defines the provider. It has no file if that is in the user settings. */
  readonly source: ConsentSubjectSource;
  /** URIs of the workspace folders for which it is turned on. */
  readonly folders: readonly string[];
  /** Whether it is turned on for documents outside the workspace folders. Only the user settings can do that. */
  readonly isOnOutsideFolders: boolean;
}

/** The unchecked values of `backline.context.providers` and `openctx.providers` at one configuration level. */
export interface ProviderSettingsLevel {
  readonly backline?: unknown;
  readonly openctx?: unknown;
  /** Absolute path of the settings file. Absent for the user settings, and if the file is not on this disk. */
  readonly file?: string | undefined;
  /** The unchecked value of `openctx.enable`, which turns `openctx` off. The most specific level takes precedence. */
  readonly openctxEnable?: unknown;
}

interface FolderSettings {
  /** The `file:` URI of the workspace folder, without a slash at the end. */
  readonly uri: string;
  readonly settings: ProviderSettingsLevel;
}

export interface ProviderSettingsLevels {
  readonly user: ProviderSettingsLevel;
  readonly workspace: ProviderSettingsLevel;
  /** URI of the folder that contains the workspace file, if there is one. */
  readonly workspaceBase?: string | undefined;
  /** All folders of the window, even those without settings. */
  readonly folders: readonly FolderSettings[];
  readonly isTrusted: boolean;
}

export interface ProviderProblem {
  readonly id: string;
  /** A message that explains what is wrong and what to do. */
  readonly message: string;
}

export interface ProviderList {
  readonly entries: readonly ProviderEntry[];
  /** URIs of all folders of the window. */
  readonly folders: readonly string[];
  /** Providers in the settings that cannot be turned on, with the reasons. */
  readonly problems: readonly ProviderProblem[];
}

export const emptyProviderList: ProviderList = { entries: [], folders: [], problems: [] };

const recordSchema = z.record(z.string(), z.unknown());
const ownSettingsSchema = z.object({ selectorMatch: z.enum(['any', 'all']).optional() });
export const untrustedWorkspaceMessage =
  'This provider comes from the workspace, which is not trusted. Trust the workspace to use it.';

/**
 * Merges the levels for each key: folders override the workspace, which overrides the user. Ignores an untrusted
 * workspace. Outside the folders, a workspace can only turn providers off. Relative keys start at the folder. In
 * `openctx.providers` of workspace and folder, they start at the settings file, as in OpenCtx.
 */
export function listProviders(levels: ProviderSettingsLevels): ProviderList {
  const collector = new ProviderCollector();
  const { workspace, workspaceBase, folders } = levels;
  const uris = folders.map(({ uri }) => uri);
  for (const { uri, settings } of folders) {
    const ownBase = `${uri}/.vscode`;
    const ofWorkspace = { ...workspace, openctxBase: workspaceBase ?? ownBase };
    collector.addProvidersOfScope(levels, [ofWorkspace, { ...settings, openctxBase: ownBase }], uri, uris);
  }
  collector.addProvidersOfScope(levels, [workspace], undefined, uris);
  return { entries: collector.entries(), folders: uris, problems: collector.problems() };
}

interface CollectedEntry {
  readonly entry: Omit<ProviderEntry, 'folders' | 'isOnOutsideFolders'>;
  readonly folders: string[];
  isOnOutsideFolders: boolean;
}

interface BasedLevel extends ProviderSettingsLevel {
  /** Base of relative keys in `openctx`. Default is the folder. */
  readonly openctxBase?: string;
}

/** The value of a key, and the place where it is set. */
interface SettingValue {
  readonly value: unknown;
  readonly base: string | undefined;
  readonly setting: string;
  readonly file: string | undefined;
}

interface EntryScope {
  /** URI of the folder. Absent for documents outside the folders. */
  readonly folder: string | undefined;
  readonly folders: readonly string[];
  readonly isTrusted: boolean;
  readonly isUserDefined: boolean;
}

class ProviderCollector {
  private readonly entriesByIdentity = new Map<string, CollectedEntry>();
  private readonly problemsById = new Map<string, string>();

  /** Adds the providers of one folder. `folder` is absent for documents outside the folders. */
  addProvidersOfScope(
    { user, isTrusted }: ProviderSettingsLevels,
    workspaceLevels: readonly BasedLevel[],
    folder: string | undefined,
    folders: readonly string[],
  ): void {
    const ofUser = mergeLevels([user]);
    const ofAll = mergeLevels([user, ...workspaceLevels]);
    for (const [key, merged] of ofAll) {
      const own = ofUser.get(key);
      const isUsersOnly = !isTrusted || (folder === undefined && isOn(merged.value));
      const word = isUsersOnly ? own : merged;
      const isUserDefined = settingIdentity(key, word, folder) === settingIdentity(key, own, folder);
      if (!isTrusted && !own && isOn(merged.value)) this.problemsById.set(key, untrustedWorkspaceMessage);
      else this.addEntry(key, word, { folder, folders, isTrusted, isUserDefined });
    }
  }

  entries(): ProviderEntry[] {
    const used = new Map<string, number>();
    return [...this.entriesByIdentity.values()].map(({ entry, folders, isOnOutsideFolders }) => {
      const count = (used.get(entry.id) ?? 0) + 1;
      used.set(entry.id, count);
      const id = count === 1 ? entry.id : `${entry.id} (${count})`;
      return { ...entry, id, folders, isOnOutsideFolders };
    });
  }

  problems(): ProviderProblem[] {
    return [...this.problemsById].map(([id, message]) => ({ id, message }));
  }

  private addEntry(key: string, settingValue: SettingValue | undefined, scope: EntryScope): void {
    const entry = settingValue && isOn(settingValue.value) ? entryOf(key, settingValue, scope) : undefined;
    if (typeof entry === 'string') this.problemsById.set(key, entry);
    else if (entry) this.mergeEntry(entry, scope.folder);
  }

  private mergeEntry(entry: CollectedEntry['entry'], folder: string | undefined): void {
    const identity = JSON.stringify([entry.id, entry.place, entry.settings, entry.isUserDefined]);
    const known = this.entriesByIdentity.get(identity) ?? { entry, folders: [], isOnOutsideFolders: false };
    this.entriesByIdentity.set(identity, known);
    if (folder === undefined) known.isOnOutsideFolders = true;
    else known.folders.push(folder);
  }
}

/** Returns the entry for a key; a message if it is invalid; undefined if it is not for this scope. */
function entryOf(
  key: string,
  { value, base, file, setting }: SettingValue,
  { folder, folders, isTrusted, isUserDefined }: EntryScope,
): CollectedEntry['entry'] | string | undefined {
  const { data: settings } = recordSchema.safeParse(value === true ? {} : value);
  if (!settings) return 'The provider’s value in the settings must be true, false or an object.';
  const { data: own } = ownSettingsSchema.safeParse(settings);
  if (!own) return 'The provider’s `selectorMatch` must be "any" or "all".';
  const parsed = parseProviderUri(key, folder, base);
  // Outside the folders, it is not a problem if an entry needs a folder.
  if (typeof parsed === 'string') return folder === undefined && folders.length > 0 ? undefined : parsed;
  const { place, name, isWorkspaceRelative } = parsed;
  const isInWorkspace = place.kind === 'module' && folders.some((each) => isUriInFolder(place.url, each));
  if (!isTrusted && (isWorkspaceRelative || isInWorkspace)) return untrustedWorkspaceMessage;
  const { selectorMatch = 'any' } = own;
  const source = { file: isUserDefined ? undefined : file, keys: [setting, key] };
  return { id: key, title: name ?? shortName(key), place, settings, selectorMatch, isUserDefined, source };
}

/** Merges the levels. Later levels override earlier ones. A key keeps the position at which it first occurs. */
function mergeLevels(levels: readonly BasedLevel[]): Map<string, SettingValue> {
  const merged = new Map<string, SettingValue>();
  const addAll = (table: unknown, word: Omit<SettingValue, 'value'>): void => {
    const { data } = recordSchema.safeParse(table ?? {});
    for (const [key, value] of Object.entries(data ?? {})) merged.set(key, { ...word, value });
  };
  const isOpenctxOn =
    levels.findLast(({ openctxEnable }) => typeof openctxEnable === 'boolean')?.openctxEnable !== false;
  for (const { openctx, openctxBase: base, backline, file } of levels) {
    if (isOpenctxOn) addAll(openctx, { base, file, setting: 'openctx.providers' });
    addAll(backline, { base: undefined, file, setting: settingIds.contextProviders });
  }
  return merged;
}

/** Returns a text that is the same for equal settings of the same provider. */
function settingIdentity(key: string, word: SettingValue | undefined, folder: string | undefined): string {
  return JSON.stringify([word?.value, parseProviderUri(key, folder, word?.base)]);
}

function isOn(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

/** Returns the last segment of the path without its extension. If there is no path, returns the host. */
function shortName(key: string): string {
  if (key.startsWith('data:')) return 'data:';
  const path = key.replace(/[?#].*$/, '').replace(/[\\/]+$/, '');
  const last = path.split(/[\\/]/).at(-1) ?? path;
  return last.replace(/\.[cm]?[jt]s$/i, '') || key;
}
