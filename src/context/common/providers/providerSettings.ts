import * as z from 'zod';
import type { BroughtSource } from '../../../consent/common/broughtThing';
import { settingIds } from '../../../manifest';
import type { ProviderSettings } from './contextProvider';
import { isBelow, parseProviderUri, type ProviderPlace } from './providerUri';
import type { SelectorMatch } from './selector';

/** Makes the list of providers out of the settings of user, workspace and folders. */

export interface ProviderEntry {
  /** The key in the settings; with a number behind it where folders mean different things by the same key. */
  readonly id: string;
  /** How users know it, until it says its own name. */
  readonly title: string;
  readonly place: ProviderPlace;
  /** As written; references to secrets are still references. */
  readonly settings: ProviderSettings;
  readonly selectorMatch: SelectorMatch;
  /** Whether the user's own settings say just this; else it is the workspace's or a folder's word. The code may still be the workspace's. */
  readonly isOfUser: boolean;
  /** Where it is written; of the user's own only the setting. */
  readonly source: BroughtSource;
  /** URIs of the workspace folders that it is on in. */
  readonly folders: readonly string[];
  /** Whether it is on for documents that are in no workspace folder; never by the word of a workspace. */
  readonly isOnElsewhere: boolean;
}

/** Raw values of `backline.context.providers` and `openctx.providers` at one level. */
export interface SettingsLevel {
  readonly backline?: unknown;
  readonly openctx?: unknown;
  /** Absolute path of the file that these are kept in; absent where there is none on this disk, and for the user's. */
  readonly file?: string | undefined;
  /** Raw value of `openctx.enable`: whether `openctx` counts. The most particular level that says so decides. */
  readonly openctxEnable?: unknown;
}

interface FolderSettings {
  /** `file:` URI of the workspace folder, without a slash at its end. */
  readonly uri: string;
  readonly settings: SettingsLevel;
}

export interface SettingsLevels {
  readonly user: SettingsLevel;
  readonly workspace: SettingsLevel;
  /** URI of the folder of the workspace file, if there is one. */
  readonly workspaceBase?: string | undefined;
  /** All folders of the window, also those without settings. */
  readonly folders: readonly FolderSettings[];
  readonly isTrusted: boolean;
}

export interface ProviderProblem {
  readonly id: string;
  /** What is wrong and what to do, in a sentence. */
  readonly message: string;
}

export interface ProviderList {
  readonly entries: readonly ProviderEntry[];
  /** All folders of the window. */
  readonly folders: readonly string[];
  /** Those that stay off although the settings name them. */
  readonly problems: readonly ProviderProblem[];
}

export const noProviders: ProviderList = { entries: [], folders: [], problems: [] };

const record = z.record(z.string(), z.unknown());
const ownSettings = z.object({ selectorMatch: z.enum(['any', 'all']).optional() });
export const untrustedMessage = 'It comes from the workspace, which is not trusted. Trust the workspace to use it.';

/**
 * Levels are merged key by key: a folder's word counts more than the workspace's, and that more than the user's. In an
 * untrusted workspace only the user's are heard, and nothing of them that is code of the workspace. For files that are in
 * no folder only the user's count too, but what the workspace switches off is off. Relative keys are relative to the folder;
 * in `openctx.providers` of workspace and folder to where that is written, as OpenCtx has it.
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
  /** What relative keys of `openctx` are relative to; absent where it is the folder. */
  readonly openctxBase?: string;
}

/** What the settings say of a key. */
interface Word {
  readonly value: unknown;
  readonly base: string | undefined;
  readonly setting: string;
  readonly file: string | undefined;
}

interface Where {
  /** Absent for documents that are in none. */
  readonly folder: string | undefined;
  readonly folders: readonly string[];
  readonly isTrusted: boolean;
  readonly isOfUser: boolean;
}

class Collector {
  private readonly found = new Map<string, Found>();
  private readonly messages = new Map<string, string>();

  /** `folder` is absent for documents that are in none. */
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

/** What is wrong, as a sentence, or nothing when nobody misses it. */
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
  // What needs a folder is not missed by documents that are in none.
  if (typeof parsed === 'string') return folder === undefined && folders.length > 0 ? undefined : parsed;
  const { place, name, isOfWorkspace } = parsed;
  const isInWorkspace = place.kind === 'module' && folders.some((each) => isBelow(place.url, each));
  if (!isTrusted && (isOfWorkspace || isInWorkspace)) return untrustedMessage;
  const { selectorMatch = 'any' } = own;
  const source = { file: isOfUser ? undefined : file, keys: [setting, key] };
  return { id: key, title: name ?? shortName(key), place, settings, selectorMatch, isOfUser, source };
}

/** In the order in which keys first appear, from the least to the most particular level. */
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

/** As a text: the same settings for the same place. */
function meaningOf(key: string, word: Word | undefined, folder: string | undefined): string {
  return JSON.stringify([word?.value, parseProviderUri(key, folder, word?.base)]);
}

function isOn(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

/** The last part of a path, without what it ends with; the host of what has no path. */
function shortName(key: string): string {
  if (key.startsWith('data:')) return 'data:';
  const path = key.replace(/[?#].*$/, '').replace(/[\\/]+$/, '');
  const last = path.split(/[\\/]/).at(-1) ?? path;
  return last.replace(/\.[cm]?[jt]s$/i, '') || key;
}
