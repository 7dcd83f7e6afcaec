import * as vscode from 'vscode';
import { toDisposable, DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { provideTexts } from '../../platform/vscode/readOnlyTexts';
import { EditorError, type OpenOptions, type Range, type TextFile, isEditorError } from '../common/editorPort';
import { parseFragment, splitFragment } from '../common/text/uriFragment';
import { notFound, statDisk } from '../node/diskReader';
import type { PathGuard } from '../node/pathGuard';

const diffScheme = 'backline-diff';

/** Shows places and proposals to the user. */
export class PlaceOpener implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly proposals = new Map<string, string>();
  private lastProposal = 0;

  constructor(
    private readonly guard: PathGuard,
    private readonly readText: (path: string) => Promise<TextFile>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.store.add(provideTexts(diffScheme, (query) => this.proposals.get(query) ?? ''));
  }

  dispose(): void {
    this.store.dispose();
    this.proposals.clear();
  }

  async open(uriOrPath: string, { preserveFocus = false, preview = true }: OpenOptions = {}): Promise<void> {
    const target = parseTarget(uriOrPath);
    if (target.kind === 'link') {
      // The user may be asked first, for as long as he likes.
      vscode.env.openExternal(target.uri).then(
        () => undefined,
        (error: unknown) => this.log.error(`could not open ${target.uri.authority}`, error),
      );
      return;
    }
    const { place, range } = await this.locate(target.path);
    const { type } = await statDisk(place);
    const uri = vscode.Uri.file(place.path);
    if (type === 'directory') {
      if (preserveFocus) {
        throw new EditorError(
          'isDirectory',
          `${place.path} is a folder: showing it would take the focus. Name a file.`,
        );
      }
      await vscode.commands.executeCommand('revealInExplorer', uri);
      return;
    }
    if (type === 'other') throw new EditorError('notAFile', `${place.path} is not a regular file.`);
    const selection = toSelection(target.range ?? range);
    // Whatever VS Code shows the file with: text, where it takes the selection, an image, a notebook.
    await vscode.commands.executeCommand('vscode.open', uri, { preserveFocus, preview, selection });
  }

  async showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    const file = await this.guard.check(path);
    const uri = vscode.Uri.file(file.path);
    const exists = await this.readText(path).then(Boolean, ifNotFound);
    const key = String(++this.lastProposal);
    this.proposals.set(key, proposedText);
    // Of a file that is to be made, the other side is empty.
    const current = exists ? uri : uri.with({ scheme: diffScheme });
    const proposed = uri.with({ scheme: diffScheme, query: key });
    await vscode.commands.executeCommand('vscode.diff', current, proposed, title, {
      preserveFocus: true,
      // A preview would close the proposal before it.
      preview: false,
    });
    return toDisposable(() => {
      this.proposals.delete(key);
      const tabs = vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.query === key);
      vscode.window.tabGroups.close(tabs).then(
        () => undefined,
        (error: unknown) => this.log.error('could not close a diff', error),
      );
    });
  }

  /** A `#` may be part of a name, so a tail that reads as a place is one only if no such file is there. */
  private async locate(path: string): Promise<{ place: Awaited<ReturnType<PathGuard['check']>>; range?: Range }> {
    const whole = await this.guard.check(path);
    if (whole.exists) return { place: whole };
    const split = splitFragment(path);
    if (!split.range) throw notFound(path);
    const place = await this.guard.check(split.path);
    if (!place.exists) throw notFound(split.path);
    return { place, range: split.range };
  }
}

type Target =
  | { readonly kind: 'link'; readonly uri: vscode.Uri }
  | { readonly kind: 'file'; readonly path: string; readonly range?: Range };

/** Beyond the text, VS Code goes to its end. */
function toSelection(range: Range | undefined): vscode.Range | undefined {
  return range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

function ifNotFound(error: unknown): false {
  if (isEditorError(error) && error.code === 'notFound') return false;
  throw error;
}

/** More than any path when percent-encoded, and than browsers take. */
const maxUriLength = 16 * 1024;

/** @throws EditorError `unsupportedUri` */
function parseTarget(uriOrPath: string): Target {
  if (uriOrPath.length > maxUriLength) {
    throw new EditorError('unsupportedUri', `${uriOrPath.slice(0, 80)}… is too long to be opened.`);
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(uriOrPath)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'file', path: uriOrPath };
  const uri = parseUri(uriOrPath);
  if (scheme === 'http' || scheme === 'https') return { kind: 'link', uri };
  if (scheme !== 'file') {
    throw new EditorError('unsupportedUri', `${scheme}: links cannot be opened. Use a file: or https: URI.`);
  }
  const range = parseFragment(uri.fragment);
  if (uri.fragment !== '' && !range) return { kind: 'file', path: uri.fsPath };
  return { kind: 'file', path: uri.fsPath, ...(range ? { range } : {}) };
}

function parseUri(text: string): vscode.Uri {
  try {
    return vscode.Uri.parse(text, true);
  } catch (error) {
    throw new EditorError('unsupportedUri', 'This is not a URI.', { cause: error });
  }
}
