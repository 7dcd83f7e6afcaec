import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { formatFileNames } from '../../../base/common/lists';
import { contextKeys } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import { activeMultiDiffTitle, watchTabs } from '../../../platform/vscode/multiDiffTabs';
import type { ReviewSource } from '../../common/review/reviewSource';
import type { BaselineDocuments } from './baselineDocuments';
import { existsOnDisk } from './fileHunks';

/** Maximum number of files in one editor, because VS Code loads all their texts when it opens. */
const maxFiles = 300;
const titles = { all: 'Agent Changes', some: 'Agent Changes from Conversation' } as const;
const extents: readonly (keyof typeof titles)[] = ['all', 'some'];

/**
 * A label, the original text and the current text of a file. A text is undefined if the file does not exist on that
 * side.
 */
type DiffResource = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** Shows changed files in VS Code's multi-file diff editor, where they can be edited. */
export class AgentChangesEditor implements Disposable {
  private readonly disposables = new DisposableStore();

  constructor(
    private readonly reviewSource: ReviewSource,
    private readonly baselines: BaselineDocuments,
    private readonly messages: Pick<Messages, 'info'>,
  ) {}

  start(): void {
    this.disposables.add(watchTabs(updateContext));
    updateContext();
  }

  dispose(): void {
    this.disposables.dispose();
    setContext(undefined);
  }

  /** Shows all changed files, or those in `listed`. @throws Error if none of them has changes */
  async open(listed: readonly string[] = this.reviewSource.paths): Promise<void> {
    const all = new Set(this.reviewSource.paths);
    const changed = listed.filter((path) => all.has(path));
    const { formerPaths } = this.reviewSource;
    const former = new Set(changed.flatMap((path) => formerPaths.get(path) ?? []));
    const paths = changed.filter((path) => !former.has(path));
    if (paths.length === 0) throw new Error('There are no agent changes to review.');
    const resources: DiffResource[] = [];
    const unknown: string[] = [];
    for (const path of paths.slice(0, maxFiles)) {
      const resource = await this.resourceOf(path, formerPaths.get(path));
      if (resource) resources.push(resource);
      else unknown.push(vscode.workspace.asRelativePath(path));
    }
    const title = titles[changed.length === all.size ? 'all' : 'some'];
    if (resources.length > 0) await vscode.commands.executeCommand('vscode.changes', title, resources);
    if (unknown.length > 0) this.messages.info(`These changes can’t be shown as text: ${formatFileNames(unknown)}.`);
    if (paths.length > maxFiles) {
      this.messages.info(
        `The first ${maxFiles} of ${paths.length} changed files are shown. Keep or undo them to see the others.`,
      );
    }
  }

  /** Returns the texts to compare. Undefined for a file that is not text. */
  private async resourceOf(path: string, former = path): Promise<DiffResource | undefined> {
    const file = vscode.Uri.file(path);
    const baseline = await this.reviewSource.baseline(former);
    if (baseline === undefined) return undefined;
    const original = baseline === null ? undefined : this.baselines.uriOf(former);
    return [file, original, (await existsOnDisk(file)) ? file : undefined];
  }
}

function updateContext(): void {
  const title = activeMultiDiffTitle(Object.values(titles));
  setContext(extents.find((extent) => titles[extent] === title));
}

function setContext(extent: keyof typeof titles | undefined): void {
  void vscode.commands.executeCommand('setContext', contextKeys.reviewShown, extent);
}
