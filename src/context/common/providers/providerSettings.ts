import * as z from 'zod';
import type { BroughtSource } from '../../../consent/common/broughtThing';
import { settingIds } from '../../../manifest';
import type { ProviderSettings } from './contextProvider';
import { isBelow, parseProviderUri, type ProviderPlace } from './providerUri';
import type { SelectorMatch } from './selector';

export interface ProviderEntry {
  /** The key in the settings, with a number appended if folders define different providers by the same key. */
  readonly id: string;
  /** Display name until the provider gives its own. */
  readonly title: string;
  readonly place: ProviderPlace;
  /** As written, with references to secrets unresolved. */
  readonly settings: ProviderSettings;
  readonly selectorMatch: SelectorMatch;
  /** Whether the user's own settings define exactly this provider. Its code may still be in the workspace. */
  readonly isOfUser: boolean;
  /** Where it is defined. Only the setting if the user's own settings define it. */
  readonly source: BroughtSource;
  /** URIs of the workspace folders where it is on. */
  readonly folders: readonly string[];
  /** Whether it is on for documents outside the workspace folders. Only the user can enable that. */
  readonly isOnElsewhere: boolean;
}

/** Raw values of `backline.context.providers` and `openctx.providers` at one level. */
export interface SettingsLevel {
  readonly backline?: unknown;
  readonly openctx?: unknown;
  /** Absolute path of the settings file; absent for the user's level and if it is not on this disk. */
  readonly file?: string | undefined;
  /** Raw value of `openctx.enable`, which turns `openctx` off. The most specific level counts. */
  readonly openctxEnable?: unknown;
}

interface FolderSettings {
  /** `file:` URI of the workspace folder, without a trailing slash. */
  readonly uri: string;
  readonly settings: SettingsLevel;
}

export interface SettingsLevels {
  readonly user: SettingsLevel;
  readonly workspace: SettingsLevel;
  /** URI of the folder of the workspace file, if any. */
  readonly workspaceBase?: string | undefined;
  /** All folders of the window, including those without settings. */
  readonly folders: readonly FolderSettings[];
  readonly isTrusted: boolean;
}

export interface ProviderProblem {
  readonly id: string;
  /** What is wrong and what to do, in one sentence. */
  readonly message: string;
}

export interface ProviderList {
  readonly entries: readonly ProviderEntry[];
  /** All folders of the window. */
  readonly folders: readonly string[];
  /** Providers in the settings that stay off. */
  readonly problems: readonly ProviderProblem[];
}

export const noProviders: ProviderList = { entries: [], folders: [], problems: [] };

const record = z.record(z.string(), z.unknown());
const ownSettings = z.object({ selectorMatch: z.enum(['any', 'all']).optional() });
export const untrustedMessage = 'It comes from the workspace, which is not trusted. Trust the workspace to use it.';

/**
 * Merges the levels key by key: folders override the workspace, which overrides the user. An untrusted workspace is
 * ignored, and code in it is not used. Outside the folders only the user's providers are used, except those that the
 * workspace turns off. Relative keys are resolved against the folder; in `openctx.providers` of workspace and folder
 * against the settings file, as in OpenCtx.
 */
export function listProviders(levels: SettingsLevels): ProviderList {
  const collector = new Collector();
  const { workspace, workspaceBase, folders } = levels;
  const uris = folders.map(({ uri }) => uri);
  for (const { uri, settings } of folders) {
    const ownBase = `${uri}/.vscode`;
    const ofWorkspace = { ...workspace, openctxBase: workspaceBase ?? ownBase };
    collector.add(levels, [ofWorkspace, { ...settings, openctxBase: ownBase }], uri, uris);
  }
  collector.add(levels, [workspace], undefined, uris);
  return { entries: collector.entries(), folders: uris, problems: collector.problems() };
}

interface Found {
  readonly entry: Omit<ProviderEntry, 'folders' | 'isOnElsewhere'>;
  readonly folders: string[];
  isOnElsewhere: boolean;
}

interface BasedLevel extends SettingsLevel {
  /** Base of relative keys in `openctx`. Defaults to the folder. */
  readonly openctxBase?: string;
}

/** The value of a key and where it is set. */
interface Word {
  readonly value: unknown;
  readonly base: string | undefined;
  readonly setting: string;
  readonly file: string | undefined;
}

interface Where {
  /** Absent for documents outside the folders. */
  readonly folder: string | undefined;
  readonly folders: readonly string[];
  readonly isTrusted: boolean;
  readonly isOfUser: boolean;
}

class Collector {
  private readonly found = new Map<string, Found>();
  private readonly messages = new Map<string, string>();

  /** `folder` is absent for documents outside the folders. */
  add(
    { user, isTrusted }: SettingsLevels,
    ofWorkspace: readonly BasedLevel[],
    folder: string | undefined,
    folders: readonly string[],
  ): void {
    const ofUser = merge([user]);
    const ofAll = merge([user, ...ofWorkspace]);
    for (const [key, merged] of ofAll) {
      const own = ofUser.get(key);
      const isUsersOnly = !isTrusted || (folder === undefined && isOn(merged.value));
      const word = isUsersOnly ? own : merged;
      const isOfUser = meaningOf(key, word, folder) === meaningOf(key, own, folder);
      if (!isTrusted && !own && isOn(merged.value)) this.messages.set(key, untrustedMessage);
      else this.addOne(key, word, { folder, folders, isTrusted, isOfUser });
    }
  }

  entries(): ProviderEntry[] {
    const used = new Map<string, number>();
    return [...this.found.values()].map(({ entry, folders, isOnElsewhere }) => {
      const count = (used.get(entry.id) ?? 0) + 1;
      used.set(entry.id, count);
      const id = count === 1 ? entry.id : `${entry.id} (${count})`;
      return { ...entry, id, folders, isOnElsewhere };
    });
  }

  problems(): ProviderProblem[] {
    return [...this.messages].map(([id, message]) => ({ id, message }));
  }

  private addOne(key: string, word: Word | undefined, where: Where): void {
    const entry = word && isOn(word.value) ? entryOf(key, word, where) : undefined;
    if (typeof entry === 'string') this.messages.set(key, entry);
    else if (entry) this.remember(entry, where.folder);
  }

  private remember(entry: Found['entry'], folder: string | undefined): void {
    const identity = JSON.stringify([entry.id, entry.place, entry.settings, entry.isOfUser]);
    const known = this.found.get(identity) ?? { entry, folders: [], isOnElsewhere: false };
    this.found.set(identity, known);
    if (folder === undefined) known.isOnElsewhere = true;
    else known.folders.push(folder);
  }
}

/** Returns a sentence if the entry is invalid. Undefined if it does not apply to this scope. */
function entryOf(
  key: string,
  { value, base, file, setting }: Word,
  { folder, folders, isTrusted, isOfUser }: Where,
): Found['entry'] | string | undefined {
  const { data: settings } = record.safeParse(value === true ? {} : value);
  if (!settings) return 'Its value in the settings needs to be true, false or an object.';
  const { data: own } = ownSettings.safeParse(settings);
  if (!own) return '`selectorMatch` in its settings needs to be "any" or "all".';
  const parsed = parseProviderUri(key, folder, base);
  // For documents outside the folders, it is no problem that an entry needs a folder.
  if (typeof parsed === 'string') return folder === undefined && folders.length > 0 ? undefined : parsed;
  const { place, name, isOfWorkspace } = parsed;
  const isInWorkspace = place.kind === 'module' && folders.some((each) => isBelow(place.url, each));
  if (!isTrusted && (isOfWorkspace || isInWorkspace)) return untrustedMessage;
  const { selectorMatch = 'any' } = own;
  const source = { file: isOfUser ? undefined : file, keys: [setting, key] };
  return { id: key, title: name ?? shortName(key), place, settings, selectorMatch, isOfUser, source };
}

/** Later levels override earlier ones. Keys keep their first position. */
function merge(levels: readonly BasedLevel[]): Map<string, Word> {
  const merged = new Map<string, Word>();
  const addAll = (table: unknown, word: Omit<Word, 'value'>): void => {
    const { data } = record.safeParse(table ?? {});
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

/** Equal texts mean the same settings for the same provider. */
function meaningOf(key: string, word: Word | undefined, folder: string | undefined): string {
  return JSON.stringify([word?.value, parseProviderUri(key, folder, word?.base)]);
}

function isOn(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

/** The last path segment without its extension, or the host if there is no path. */
function shortName(key: string): string {
  if (key.startsWith('data:')) return 'data:';
  const path = key.replace(/[?#].*$/, '').replace(/[\\/]+$/, '');
  const last = path.split(/[\\/]/).at(-1) ?? path;
  return last.replace(/\.[cm]?[jt]s$/i, '') || key;
}
