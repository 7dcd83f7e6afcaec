import * as vscode from 'vscode';
import { toDisposable, DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { provideReadOnlyTexts } from '../../platform/vscode/readOnlyTexts';
import { EditorError, type OpenOptions, type Range, type TextFile, isEditorError } from '../common/editorPort';
import { parseFragment, splitFragment } from '../common/text/uriFragment';
import { notFoundError, statDisk } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';

const diffScheme = 'backline-diff';

export interface ProposedChange {
  /** Absolute and resolved path of the file. */
  readonly path: string;
  /** The current text; null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/** Opens files, links and diffs. */
export class FileOpener implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly proposedTextById = new Map<string, string>();
  private readonly shownTitles = new Set<string>();
  private lastProposalId = 0;

  constructor(
    private readonly pathGuard: PathGuard,
    private readonly readText: (path: string) => Promise<TextFile>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.disposables.add(provideReadOnlyTexts(diffScheme, (query) => this.proposedTextById.get(query) ?? ''));
  }

  dispose(): void {
    this.disposables.dispose();
    this.proposedTextById.clear();
  }

  async open(uriOrPath: string, { preserveFocus = false, preview = true }: OpenOptions = {}): Promise<void> {
    const target = parseTarget(uriOrPath);
    if (target.kind === 'link') {
      // Not awaited, because VS Code may ask the user first.
      vscode.env
        .openExternal(target.uri)
        .then(undefined, (error: unknown) => this.log.error(`could not open ${target.uri.authority}`, error));
      return;
    }
    const { place, range } = await this.resolveTarget(target.path);
    const { type } = await statDisk(place);
    const uri = vscode.Uri.file(editorPathOf(place));
    if (type === 'directory') {
      if (preserveFocus) {
        throw new EditorError(
          'isDirectory',
          `${place.path} is a folder, which cannot be shown without taking the focus. Name a file.`,
        );
      }
      await vscode.commands.executeCommand('revealInExplorer', uri);
      return;
    }
    if (type === 'other') throw new EditorError('notAFile', `${place.path} is not a regular file.`);
    const selection = toSelection(target.range ?? range);
    // Uses the file's default editor. Only text editors apply the selection.
    await vscode.commands.executeCommand('vscode.open', uri, { preserveFocus, preview, selection });
  }

  /** Opens the current and the proposed texts of files in one editor, which closes when the result is disposed. */
  async showChanges(changes: readonly ProposedChange[], title: string): Promise<Disposable> {
    const name = this.unusedTitle(title);
    this.shownTitles.add(name);
    const keys: string[] = [];
    const resources = changes.map(({ after, before, path }) => {
      const uri = vscode.Uri.file(path);
      const key = this.addProposedText(after);
      keys.push(key);
      return [uri, before === null ? undefined : uri, uri.with({ scheme: diffScheme, query: key })];
    });
    const release = toDisposable(() => {
      for (const key of keys) this.proposedTextById.delete(key);
      this.closeTabs(tabsTitled(name));
      this.shownTitles.delete(name);
    });
    try {
      await vscode.commands.executeCommand('vscode.changes', name, resources);
    } catch (error) {
      release.dispose();
      throw error;
    }
    return release;
  }

  async showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    const file = await this.pathGuard.check(path);
    const uri = vscode.Uri.file(editorPathOf(file));
    const exists = await this.readText(path).then(Boolean, ifNotFound);
    const key = this.addProposedText(proposedText);
    // For a new file, the left side is empty.
    const current = exists ? uri : uri.with({ scheme: diffScheme });
    const proposed = uri.with({ scheme: diffScheme, query: key });
    await vscode.commands.executeCommand('vscode.diff', current, proposed, title, {
      preserveFocus: true,
      // A preview tab would replace an earlier diff.
      preview: false,
    });
    return toDisposable(() => {
      this.proposedTextById.delete(key);
      const tabs = vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.query === key);
      this.closeTabs(tabs);
    });
  }

  /** Two editors with the same title could not be distinguished. */
  private unusedTitle(title: string): string {
    for (let number = 2, name = title; ; name = `${title} ${number++}`) if (!this.shownTitles.has(name)) return name;
  }

  private closeTabs(tabs: readonly vscode.Tab[]): void {
    vscode.window.tabGroups
      .close(tabs)
      .then(undefined, (error: unknown) => this.log.error('could not close a diff', error));
  }

  /** Returns the query of the text's URI. */
  private addProposedText(text: string): string {
    const key = String(++this.lastProposalId);
    this.proposedTextById.set(key, text);
    return key;
  }

  /** A file name can contain `#`, so a fragment is split off only if no file has the whole name. */
  private async resolveTarget(
    path: string,
  ): Promise<{ place: Awaited<ReturnType<PathGuard['check']>>; range?: Range }> {
    const whole = await this.pathGuard.check(path);
    if (whole.exists) return { place: whole };
    const split = splitFragment(path);
    if (!split.range) throw notFoundError(path);
    const place = await this.pathGuard.check(split.path);
    if (!place.exists) throw notFoundError(split.path);
    return { place, range: split.range };
  }
}

/**
 * Returns the path by which VS Code shows a file: the requested one if it is in a workspace folder as VS Code names it,
 * otherwise the file's path in that folder. VS Code opens another tab for each path of a file.
 */
function editorPathOf({ canonicalPath, names, path }: CheckedPath): string {
  const isNamedInFolder = names.length > 1;
  return isNamedInFolder ? path : canonicalPath;
}

/** For an editor with several files, VS Code only reports the label of its tab: the title and the number of files. */
function tabsTitled(title: string): readonly vscode.Tab[] {
  const isOfTitle = ({ label }: vscode.Tab): boolean => label === title || label.startsWith(`${title} (`);
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOfTitle));
}

type Target =
  | { readonly kind: 'link'; readonly uri: vscode.Uri }
  | { readonly kind: 'file'; readonly path: string; readonly range?: Range };

function toSelection(range: Range | undefined): vscode.Range | undefined {
  return range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

function ifNotFound(error: unknown): false {
  if (isEditorError(error) && error.code === 'notFound') return false;
  throw error;
}

/** Longer than any percent-encoded path, and longer than browsers support. */
const maxUriLength = 16 * 1024;

/** @throws EditorError `unsupportedUri` */
function parseTarget(uriOrPath: string): Target {
  if (uriOrPath.length > maxUriLength) {
    throw new EditorError('unsupportedUri', `${uriOrPath.slice(0, 80)}… is too long to open.`);
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(uriOrPath)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'file', path: uriOrPath };
  const uri = parseUri(uriOrPath);
  if (scheme === 'http' || scheme === 'https') return { kind: 'link', uri };
  if (scheme !== 'file') {
    throw new EditorError('unsupportedUri', `Backline can’t open ${scheme}: links. Use a file: or https: link.`);
  }
  const range = parseFragment(uri.fragment);
  if (uri.fragment !== '' && !range) return { kind: 'file', path: uri.fsPath };
  return { kind: 'file', path: uri.fsPath, ...(range ? { range } : {}) };
}

function parseUri(text: string): vscode.Uri {
  try {
    return vscode.Uri.parse(text, true);
  } catch (error) {
    throw new EditorError('unsupportedUri', 'The URI is invalid.', { cause: error });
  }
}
