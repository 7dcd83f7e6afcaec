import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { EditorPort } from '../../../editor/common/editorPort';
import { unifyLineEndings } from '../../../editor/common/text/lineEndings';
import { commandIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Messages } from '../../../platform/vscode/messages';
import type { Settings } from '../../../platform/vscode/settings';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import type { AuthorTurn } from '../../common/authorship/authorSteps';
import { certaintyText, promptText, turnText } from '../../common/authorship/authorTexts';
import type { LineAuthor, LineAuthors } from '../../common/authorship/lineAuthors';
import type { Chat, Chats } from '../../common/chatPorts';
import type { ChatPageHost } from '../pages/chatPageHost';
import type { RestoreActions } from '../review/restoreActions';

/** Who wrote what, of the conversations of this workspace. Paths are real paths. Methods never reject. */
interface LineAuthorSource {
  authorsOf(path: string, text: string): Promise<LineAuthors<AuthorTurn>>;
  /** Newest first. */
  turnsOf(path: string, text: string): Promise<readonly AuthorTurn[]>;
  /** Title of the agent of a conversation. */
  agentOf(conversation: string): string;
}

export interface LineAuthorPorts {
  readonly lineAuthors: LineAuthorSource;
}

interface LineAuthorViewsDeps extends LineAuthorPorts {
  readonly chats: Pick<Chats, 'open'>;
  readonly clock: Clock;
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly editor: Pick<EditorPort, 'realPathOf'>;
  readonly messages: Messages;
  readonly pages: { reveal(chat: Chat): Promise<ChatPageHost> };
  readonly restore: Pick<RestoreActions, 'restoreTo'>;
  readonly settings: Pick<Settings, 'authorshipHover'>;
}

interface LineOfDocument {
  readonly document: vscode.TextDocument;
  /** 0-based. */
  readonly line: number;
}

/** What VS Code passes from the menu of line numbers, and links in hovers with the address as text. Lines are 1-based. */
const LineArgument = z.object({ lineNumber: z.number(), uri: z.unknown() });

type Action = vscode.QuickPickItem & { readonly run: () => Promise<void> };

const nothingKnown = 'Nothing is known about who wrote this line.';

/** Tells by command and in hovers who wrote a line, and leads to the prompt. */
export class LineAuthorViews implements Disposable {
  private readonly disposables = new DisposableStore();
  /** The line about which the user has asked last, and the version of its document. */
  private asked: (LineOfDocument & { readonly version: number }) | undefined;

  constructor(private readonly deps: LineAuthorViewsDeps) {}

  start(): void {
    const { commands } = this.deps;
    this.disposables.add(commands.setHandler(commandIds.chatShowLineAuthor, (argument) => this.showAuthor(argument)));
    this.disposables.add(commands.setHandler(commandIds.chatShowLinePrompt, (argument) => this.showPrompt(argument)));
  }

  /** Returns what a hover over the line shows. Undefined if the user does not want that, or if nothing is known. */
  async hoverOf(document: vscode.TextDocument, line: number): Promise<vscode.Hover | undefined> {
    const { asked } = this;
    const isAsked = asked?.document === document && asked.line === line && asked.version === document.version;
    if (!isAsked && this.deps.settings.authorshipHover() !== 'on') return undefined;
    const author = await this.authorOf({ document, line });
    if (!author) return undefined;
    // What agents and prompts say is text, never a link. Only our own command can be clicked.
    const said = new vscode.MarkdownString();
    said.appendText(this.titleOf(author.turn)).appendMarkdown('\n\n').appendText(promptText(author.turn));
    said.appendMarkdown('\n\n').appendText(certaintyText(author));
    if (author.writtenAs !== undefined)
      said.appendMarkdown('\n\nThe turn wrote:\n').appendCodeblock(author.writtenAs.trim());
    const target = { lineNumber: line + 1, uri: document.uri.toString() };
    const action = new vscode.MarkdownString(
      `[Show Prompt of This Line](command:${commandIds.chatShowLinePrompt}?${encodeURIComponent(JSON.stringify([target]))})`,
    );
    action.isTrusted = { enabledCommands: [commandIds.chatShowLinePrompt] };
    return new vscode.Hover([said, action], document.lineAt(line).range);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async showAuthor(argument: unknown): Promise<void> {
    const place = await this.requireLine(argument);
    const author = place && (await this.requireAuthor(place));
    if (!place || !author) return;
    this.asked = { ...place, version: place.document.version };
    const { turn, writtenAs } = author;
    const actions: Action[] = [
      { label: 'Show Prompt', detail: promptText(turn), run: () => this.reveal(turn) },
      {
        label: 'Restore to Here…',
        detail: 'Takes the conversation, its files or both back to before this prompt',
        run: () => this.restoreTo(turn),
      },
      {
        label: 'Show All Turns of This File…',
        detail: 'Lists the turns of agents that have written this file',
        run: () => this.showTurns(place.document),
      },
    ];
    const details = writtenAs === undefined ? '' : `. The turn wrote: ${writtenAs.trim()}`;
    const picked = await vscode.window.showQuickPick(actions, {
      title: this.titleOf(turn),
      placeHolder: `${certaintyText(author)}${details}`,
    });
    await picked?.run();
  }

  private async showPrompt(argument: unknown): Promise<void> {
    const place = await this.requireLine(argument);
    const author = place && (await this.requireAuthor(place));
    if (author) await this.reveal(author.turn);
  }

  private async showTurns(document: vscode.TextDocument): Promise<void> {
    const path = await this.deps.editor.realPathOf(document.uri.fsPath);
    const turns = await this.deps.lineAuthors.turnsOf(path, unifyLineEndings(document.getText()));
    const items = turns.map((turn): Action => ({
      label: this.titleOf(turn),
      description: new Date(turn.startedAt).toLocaleString(),
      detail: promptText(turn),
      run: () => this.reveal(turn),
    }));
    const title = `Turns That Have Written ${vscode.workspace.asRelativePath(document.uri)}`;
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Select a turn to show its prompt' });
    await picked?.run();
  }

  private async reveal(turn: AuthorTurn): Promise<void> {
    const chat = await waitWithProgress('Opening conversation', this.deps.chats.open(turn.conversation));
    if (!chat) return;
    const page = await this.deps.pages.reveal(chat);
    const entry = promptEntryOf(chat, turn);
    if (entry !== undefined) page.showEntry(chat.id, entry);
  }

  private async restoreTo(turn: AuthorTurn): Promise<void> {
    const chat = await waitWithProgress('Opening conversation', this.deps.chats.open(turn.conversation));
    if (!chat) return;
    const page = await this.deps.pages.reveal(chat);
    const entry = promptEntryOf(chat, turn);
    if (entry === undefined) this.deps.messages.info('This turn has no prompt to restore to.');
    else await this.deps.restore.restoreTo(chat, entry, (next) => page.show(next));
  }

  private titleOf(turn: AuthorTurn): string {
    return turnText(this.deps.lineAuthors.agentOf(turn.conversation), turn, this.deps.clock.now());
  }

  private async requireLine(argument: unknown): Promise<LineOfDocument | undefined> {
    const given = z.safeParse(LineArgument, argument).data;
    const uri = given && uriOf(given.uri);
    if (given && uri) {
      const document = await vscode.workspace.openTextDocument(uri);
      return { document, line: Math.min(Math.max(given.lineNumber - 1, 0), document.lineCount - 1) };
    }
    const editor = vscode.window.activeTextEditor;
    if (editor) return { document: editor.document, line: editor.selection.active.line };
    this.deps.messages.info('Open a file in an editor first.');
    return undefined;
  }

  private async requireAuthor(place: LineOfDocument): Promise<LineAuthor<AuthorTurn> | undefined> {
    const author = await waitWithProgress('Reading conversations', this.authorOf(place));
    if (!author) this.deps.messages.info(nothingKnown);
    return author;
  }

  private async authorOf({ document, line }: LineOfDocument): Promise<LineAuthor<AuthorTurn> | undefined> {
    if (document.uri.scheme !== 'file') return undefined;
    // Agents, and therefore conversations, know nothing of files outside of the workspace and of excluded ones.
    const path = await this.deps.editor.realPathOf(document.uri.fsPath).catch(() => undefined);
    if (path === undefined) return undefined;
    return (await this.deps.lineAuthors.authorsOf(path, unifyLineEndings(document.getText())))[line];
  }
}

function promptEntryOf(chat: Chat, { turn }: AuthorTurn): string | undefined {
  return [...chat.transcript.entries('prompt')].find((entry) => entry.turn === turn)?.id;
}

function uriOf(value: unknown): vscode.Uri | undefined {
  if (value instanceof vscode.Uri) return value;
  return typeof value === 'string' ? vscode.Uri.parse(value) : undefined;
}
