import * as vscode from 'vscode';
import { BoundedMap } from '../../../base/common/boundedMap';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { formatFileNames } from '../../../base/common/lists';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { oneLine } from '../../../base/common/text/oneLine';
import { contextKeys } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import { activeMultiDiffTitle, watchTabs } from '../../../platform/vscode/multiDiffTabs';
import type { Chat, Chats, TurnRange, FileChangedByTurns } from '../../common/chatPorts';
import type { UndoActions } from './undoActions';
import type { VirtualDocuments } from './virtualDocuments';

/** Maximum number of files in one editor, because VS Code loads all their texts when it opens. */
const maxFiles = 300;
const maxTitleLength = 40;
/** Maximum number of editors whose turns are known. */
const maxEditors = 100;
const pickTitle = 'Review Changes Since Prompt';

/**
 * A label, the original text and the current text of a file. A text is undefined if the file does not exist on that
 * side.
 */
type DiffResource = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

interface PromptOfTurn {
  readonly turn: number;
  readonly title: string;
}

interface ShownTurns {
  /**
   * The id instead of the conversation, because an idle conversation is closed and later opened again as another
   * object.
   */
  readonly sessionId: string;
  readonly turns: TurnRange;
}

/** Shows the changes of turns in VS Code's multi-file diff editor. */
export class TurnReviews implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly shownTurnsByTitle = new BoundedMap<string, ShownTurns>({ maxEntries: maxEditors });

  constructor(
    private readonly chats: Pick<Chats, 'open'>,
    private readonly documents: VirtualDocuments,
    private readonly messages: Pick<Messages, 'info'>,
    private readonly undoActions: Pick<UndoActions, 'undoFile'>,
  ) {}

  start(): void {
    this.disposables.add(watchTabs(() => setContext(this.activeTurns !== undefined)));
  }

  dispose(): void {
    this.disposables.dispose();
    setContext(false);
  }

  async openTurn(chat: Chat, turn: number): Promise<void> {
    const title = promptsOf(chat).find((prompt) => prompt.turn === turn)?.title ?? chat.view.title;
    await this.open(chat, { first: turn, last: turn }, `Changes in Turn “${truncate(title)}”`);
  }

  /** Asks for two prompts and compares the files before the first with those after the second, or with the current files. */
  async openSincePrompt(chat: Chat): Promise<void> {
    const prompts = promptsOf(chat);
    const firstItems = prompts.flatMap((prompt) => itemOf(chat, prompt, since(prompt.turn), 'changed since'));
    if (firstItems.length === 0) throw new Error('No prompt in this conversation has changed files.');
    const first = await vscode.window.showQuickPick(firstItems.toReversed(), {
      title: pickTitle,
      placeHolder: 'Select the first prompt to review',
    });
    if (!first) return;
    const { title, turn } = first.prompt;
    const earlier = prompts.slice(0, -1).filter((prompt) => prompt.turn >= turn);
    const lastItems = earlier.flatMap((prompt) => itemOf(chat, prompt, { first: turn, last: prompt.turn }, 'changed'));
    const now = { label: 'Now', description: first.description, prompt: undefined };
    const last =
      lastItems.length === 0
        ? now
        : await vscode.window.showQuickPick([now, ...lastItems.toReversed()], {
            title: pickTitle,
            placeHolder: 'Select the last prompt to review',
          });
    if (!last) return;
    if (!last.prompt) await this.open(chat, since(turn), `Changes since “${truncate(title)}”`);
    else if (last.prompt.turn === turn) await this.openTurn(chat, turn);
    else {
      const names = `“${truncate(title)}” to “${truncate(last.prompt.title)}”`;
      await this.open(chat, { first: turn, last: last.prompt.turn }, `Changes from ${names}`);
    }
  }

  /**
   * Undoes what the turns of the active editor have changed in a file, the last turn first. Without `target`, uses the
   * file at the cursor. @throws Error
   */
  async undoShownFile(target: unknown): Promise<void> {
    const { activeTurns } = this;
    if (!activeTurns) throw new Error('Open the changes of a turn first.');
    const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
    if (!uri) throw new Error('Place the cursor in the changes of a file first.');
    const chat = await this.chats.open(activeTurns.sessionId);
    const holder = chat.keepOpen();
    try {
      await this.undoTurnsInFile(chat, activeTurns.turns, uri.fsPath);
    } finally {
      holder.dispose();
    }
  }

  private async undoTurnsInFile(chat: Chat, turns: TurnRange, shownPath: string): Promise<void> {
    const files = chat.fileChanges.filesOfTurns(turns);
    const file = files.find(({ path, renamedFrom }) => path === shownPath || renamedFrom === shownPath);
    if (!file) throw new Error('These turns have no changes in this file that can be undone.');
    let { path } = file;
    let isFound = false;
    for (const { turn } of promptsOf(chat).toReversed()) {
      const ofTurn = chat.fileChanges.filesOfTurns({ first: turn, last: turn });
      const changed = ofTurn.find((one) => one.path === path);
      if (turn < turns.first || turn > turns.last || !changed) continue;
      isFound = true;
      if (!(await this.undoActions.undoFile(chat, changed, turn))) return;
      path = changed.renamedFrom ?? path;
    }
    if (!isFound) throw new Error('The turn is still running. Undo its changes when it has ended.');
  }

  private get activeTurns(): ShownTurns | undefined {
    return this.shownTurnsByTitle.get(activeMultiDiffTitle(this.shownTurnsByTitle.keys()) ?? '');
  }

  /** Returns a title that no editor with other turns has, because editors are recognized by their titles. */
  private uniqueTitle(title: string, { sessionId, turns }: ShownTurns): string {
    const isFree = (candidate: string): boolean => {
      const other = this.shownTurnsByTitle.get(candidate);
      if (other?.sessionId !== sessionId) return !other;
      return other.turns.first === turns.first && other.turns.last === turns.last;
    };
    let unique = title;
    for (let number = 2; !isFree(unique); number++) unique = `${title} [${number}]`;
    return unique;
  }

  private async open(chat: Chat, turns: TurnRange, title: string): Promise<void> {
    const files = chat.fileChanges.filesOfTurns(turns);
    const shown: DiffResource[] = [];
    const unknown: string[] = [];
    for (const file of files.slice(0, maxFiles)) {
      const resource = await this.resourceOf(chat, file, turns);
      if (resource) shown.push(resource);
      else unknown.push(vscode.workspace.asRelativePath(file.path));
    }
    const left = [
      ...(unknown.length > 0 ? [`These changes can’t be shown as text: ${formatFileNames(unknown)}.`] : []),
      ...(files.length > maxFiles ? [`The first ${maxFiles} of ${files.length} files are shown.`] : []),
    ];
    if (shown.length === 0 && left.length === 0) throw new Error('There are no changes to review.');
    if (shown.length > 0) {
      const shownTurns = { sessionId: chat.id, turns };
      const unique = this.uniqueTitle(title, shownTurns);
      this.shownTurnsByTitle.set(unique, shownTurns);
      await vscode.commands.executeCommand('vscode.changes', unique, shown);
    }
    if (left.length > 0) this.messages.info(left.join(' '));
  }

  private async resourceOf(
    chat: Chat,
    { path, renamedFrom }: FileChangedByTurns,
    turns: TurnRange,
  ): Promise<DiffResource | undefined> {
    const file = vscode.Uri.file(path);
    const former = renamedFrom ?? path;
    const { before } = await chat.fileChanges.textsOfTurns(former, turns);
    const { after, isCurrent } = await chat.fileChanges.textsOfTurns(path, turns);
    const isNow = isCurrent || turns.last === Infinity;
    if (before === undefined || (after === undefined && !isNow)) return undefined;
    const read = (of: string, side: 'before' | 'after') => async (): Promise<string> =>
      (await chat.fileChanges.textsOfTurns(of, turns))[side] ?? '';
    const isThere = isNow ? await exists(file) : after !== null;
    const afterUri = isNow ? file : this.documents.addLazy(path, read(path, 'after'));
    return [
      file,
      before === null ? undefined : this.documents.addLazy(former, read(former, 'before')),
      isThere ? afterUri : undefined,
    ];
  }
}

function setContext(isShown: boolean): void {
  void vscode.commands.executeCommand('setContext', contextKeys.reviewTurnsShown, isShown);
}

/** Returns an item for a quick pick. Undefined if these turns have changed no files. */
function itemOf(chat: Chat, prompt: PromptOfTurn, turns: TurnRange, verb: string) {
  const { length } = chat.fileChanges.filesOfTurns(turns);
  // VS Code replaces `$(name)` in labels with icons.
  const label = prompt.title.replaceAll('$(', '$ (');
  return length === 0 ? [] : [{ label, description: `${countWithNoun(length, 'file')} ${verb}`, prompt }];
}

function since(turn: number): TurnRange {
  return { first: turn, last: Infinity };
}

function promptsOf({ transcript }: Chat): PromptOfTurn[] {
  return [...transcript.entries('prompt')].map(({ text, turn }) => ({
    turn,
    title: oneLine(showHiddenCharacters(text)),
  }));
}

function truncate(title: string): string {
  return title.length <= maxTitleLength ? title : `${title.slice(0, maxTitleLength).toWellFormed()}…`;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
