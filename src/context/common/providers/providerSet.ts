import type { Disposable } from '../../../base/common/disposable';
import type { ContextProvider } from './contextProvider';
import { outsideCell } from '../items/notebookCell';
import { ProviderHandle, type HandleOptions, type ProviderState } from './providerHandle';
import { noProviders, type ProviderEntry, type ProviderList, type ProviderProblem } from './providerSettings';

interface ProviderSetOptions {
  readonly createProvider: (entry: ProviderEntry) => ContextProvider;
  readonly handleOptions: HandleOptions;
  /** Called when the code of a provider has changed. */
  readonly onReload: (id: string) => void;
}

interface Member {
  readonly entry: ProviderEntry;
  readonly handle: ProviderHandle;
  readonly subscription: Disposable | undefined;
}

/** The enabled providers and the folders they are enabled in. */
export class ProviderSet implements Disposable {
  private list: ProviderList = noProviders;
  private members: ReadonlyMap<string, Member> = new Map();

  constructor(private readonly options: ProviderSetOptions) {}

  get states(): readonly ProviderState[] {
    return [...this.members.values()].map(({ handle }) => handle.state);
  }

  /** Providers in the settings that stay off. */
  get problems(): readonly ProviderProblem[] {
    return this.list.problems;
  }

  find(id: string): ProviderHandle | undefined {
    return this.members.get(id)?.handle;
  }

  /** The providers of a document's folder, in the order of the settings. Without a document: all. */
  for(uri: string | undefined): readonly ProviderHandle[] {
    const members = [...this.members.values()];
    const folder = uri === undefined ? undefined : this.folderOf(uri);
    const isAsked = ({ entry }: Member): boolean =>
      folder === undefined ? entry.isOnElsewhere : entry.folders.includes(folder);
    return (uri === undefined ? members : members.filter(isAsked)).map(({ handle }) => handle);
  }

  /** Disposes removed and changed providers. @returns the IDs of the unchanged ones */
  replace(list: ProviderList): ReadonlySet<string> {
    const before = this.members;
    const kept = new Set<string>();
    const after = new Map<string, Member>();
    for (const entry of list.entries) {
      const old = before.get(entry.id);
      const isSame = old !== undefined && identityOf(old.entry) === identityOf(entry);
      if (isSame) kept.add(entry.id);
      after.set(entry.id, isSame ? { ...old, entry } : this.create(entry));
    }
    this.list = list;
    this.members = after;
    for (const [id, member] of before) if (!kept.has(id)) dispose(member);
    return kept;
  }

  dispose(): void {
    this.replace(noProviders);
  }

  private create(entry: ProviderEntry): Member {
    const { createProvider, handleOptions, onReload } = this.options;
    const handle = new ProviderHandle(entry, createProvider(entry), handleOptions);
    const subscription = handle.provider.onDidReload?.(() => onReload(entry.id));
    return { entry, handle, subscription };
  }

  private folderOf(uri: string): string | undefined {
    const fileUri = outsideCell(uri);
    let nearest: string | undefined;
    for (const folder of this.list.folders)
      if (fileUri.startsWith(`${folder}/`) && folder.length > (nearest?.length ?? 0)) nearest = folder;
    return nearest;
  }
}

/** Excludes the folders, which may change while the provider stays the same. */
function identityOf({ id, place, settings, selectorMatch, isOfUser }: ProviderEntry): string {
  return JSON.stringify([id, place, settings, selectorMatch, isOfUser]);
}

function dispose({ handle, subscription }: Member): void {
  subscription?.dispose();
  handle.dispose();
}
