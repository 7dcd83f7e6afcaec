import type { Disposable } from '../../../base/common/disposable';
import type { ContextProvider } from './contextProvider';
import { notebookUri } from '../items/notebookCell';
import { ProviderHandle, type ProviderHandleDeps, type ProviderState } from './providerHandle';
import { emptyProviderList, type ProviderEntry, type ProviderList, type ProviderProblem } from './providerSettings';

interface ProviderSetDeps {
  readonly createProvider: (entry: ProviderEntry) => ContextProvider;
  readonly handleDeps: ProviderHandleDeps;
  /** Called when the code of a provider has changed. */
  readonly onReload: (id: string) => void;
}

interface Member {
  readonly entry: ProviderEntry;
  readonly handle: ProviderHandle;
  readonly subscription: Disposable | undefined;
}

/** The providers that are turned on, and their folders. */
export class ProviderSet implements Disposable {
  private providerList: ProviderList = emptyProviderList;
  private memberById: ReadonlyMap<string, Member> = new Map();

  constructor(private readonly deps: ProviderSetDeps) {}

  get states(): readonly ProviderState[] {
    return [...this.memberById.values()].map(({ handle }) => handle.state);
  }

  /** Providers in the settings that cannot be turned on, with the reasons. */
  get problems(): readonly ProviderProblem[] {
    return this.providerList.problems;
  }

  find(id: string): ProviderHandle | undefined {
    return this.memberById.get(id)?.handle;
  }

  /** Returns the providers for a document's folder, in the order of the settings. Without a document, returns all. */
  forDocument(uri: string | undefined): readonly ProviderHandle[] {
    const members = [...this.memberById.values()];
    const folder = uri === undefined ? undefined : this.folderOf(uri);
    const isAsked = ({ entry }: Member): boolean =>
      folder === undefined ? entry.isOnOutsideFolders : entry.folders.includes(folder);
    return (uri === undefined ? members : members.filter(isAsked)).map(({ handle }) => handle);
  }

  /** Replaces the list. Disposes providers that were removed or have changed. @returns the IDs of unchanged ones */
  replace(list: ProviderList): ReadonlySet<string> {
    const before = this.memberById;
    const kept = new Set<string>();
    const after = new Map<string, Member>();
    for (const entry of list.entries) {
      const old = before.get(entry.id);
      const isSame = old !== undefined && identityOf(old.entry) === identityOf(entry);
      if (isSame) kept.add(entry.id);
      after.set(entry.id, isSame ? { ...old, entry } : this.create(entry));
    }
    this.providerList = list;
    this.memberById = after;
    for (const [id, member] of before) if (!kept.has(id)) dispose(member);
    return kept;
  }

  dispose(): void {
    this.replace(emptyProviderList);
  }

  private create(entry: ProviderEntry): Member {
    const { createProvider, handleDeps, onReload } = this.deps;
    const handle = new ProviderHandle(entry, createProvider(entry), handleDeps);
    const subscription = handle.provider.onDidReload?.(() => onReload(entry.id));
    return { entry, handle, subscription };
  }

  private folderOf(uri: string): string | undefined {
    const fileUri = notebookUri(uri);
    let nearest: string | undefined;
    for (const folder of this.providerList.folders)
      if (fileUri.startsWith(`${folder}/`) && folder.length > (nearest?.length ?? 0)) nearest = folder;
    return nearest;
  }
}

/** Returns a text that changes with the entry, but not with the folders: the provider stays the same. */
function identityOf({ id, place, settings, selectorMatch, isUserDefined }: ProviderEntry): string {
  return JSON.stringify([id, place, settings, selectorMatch, isUserDefined]);
}

function dispose({ handle, subscription }: Member): void {
  subscription?.dispose();
  handle.dispose();
}
