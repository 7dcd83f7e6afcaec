import * as path from 'node:path';
import * as vscode from 'vscode';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import type { Messages } from '../../platform/vscode/messages';
import { exportMetadata } from '../common/heads/exportedHead';
import { ThreadAction } from '../common/page/threadApi';
import { threadDigest, type ThreadDigest } from '../common/exports/threadDigest';
import { threadLink } from '../common/model/threadLinks';
import type { ThreadWithEntries, ThreadHead } from '../common/threadPorts';
import { displayTitle, titleOf } from '../common/tree/threadRow';
import { addSubthreadSteps } from '../common/subthreads/withSubthreads';
import { findFolderInWorkspace, chooseWorkingFolder } from '../node/workspace/workingFolder';
import { exportFileName } from '../../transcript/common/export/exportFileName';

interface ThreadActionsDeps {
  /** Reads a thread. @throws ThreadError */
  readonly read: (threadId: string) => Promise<ThreadWithEntries>;
  /** Reads a subagent's thread for an export. @throws ThreadError */
  readonly readSubthread: (threadId: string) => Promise<ThreadWithEntries>;
  /** Returns the absolute path of the `amp` executable. Undefined if it is not installed. */
  readonly findAmp: () => Promise<string | undefined>;
  /** Starts a conversation with another agent, with the summary. `folder`: absolute path of a workspace folder. */
  readonly startChat: (digest: ThreadDigest, folder: string | undefined) => Promise<void>;
  readonly messages: Messages;
  /** Asks for the target file. Undefined if the user cancels. */
  readonly chooseFile: (suggested: vscode.Uri, filters: Record<string, string[]>) => Promise<vscode.Uri | undefined>;
  readonly isTrusted: () => boolean;
  /** Absolute paths of the workspace folders and their worktrees. The first workspace folder comes first. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  /** Absolute paths of the workspace folders without worktrees. The agents of the chat work only in these. */
  readonly openFolders: () => readonly string[];
}

const extensionByFormat = { markdown: 'md', html: 'html', json: 'json' } as const;
type ExportFormat = keyof typeof extensionByFormat;

/** Matches ids that are safe in a command line and in a link. */
const safeId = /^T-[0-9a-f-]+$/;
const actionsWithId: ReadonlySet<ThreadAction> = new Set(['continueInAmp', 'copyLink']);
const actionsWithFile: ReadonlySet<ThreadAction> = new Set(['copyPath', 'reveal']);

/** The actions that the user can perform on a thread. None of them changes the thread. */
export class ThreadActions {
  constructor(private readonly deps: ThreadActionsDeps) {}

  availableFor({ id, path: file }: ThreadHead): readonly ThreadAction[] {
    const hasId = safeId.test(id);
    const hasFile = file !== undefined;
    return ThreadAction.options.filter(
      (action) => (hasId || !actionsWithId.has(action)) && (hasFile || !actionsWithFile.has(action)),
    );
  }

  /** Performs an action. @throws ThreadError, and Error with a message for the user */
  async runAction(action: ThreadAction, head: ThreadHead): Promise<void> {
    const { clipboard } = vscode.env;
    const runByAction: Record<ThreadAction, () => Thenable<void>> = {
      continueInAmp: () => this.continueInAmp(head),
      continueInChat: () => this.continueInChat(head),
      exportMarkdown: () => this.export(head, 'markdown'),
      exportHtml: () => this.export(head, 'html'),
      exportJson: () => this.export(head, 'json'),
      copyLink: () => clipboard.writeText(threadLink(checkedId(head))),
      copyPath: () => clipboard.writeText(fileOf(head)),
      copyId: () => clipboard.writeText(head.id),
      reveal: () => reveal(fileOf(head)),
    };
    await runByAction[action]();
  }

  private async continueInAmp(head: ThreadHead): Promise<void> {
    const id = checkedId(head);
    if (!this.checkTrustOrShowError()) return;
    const { findAmp, messages } = this.deps;
    const amp = await findAmp();
    if (amp === undefined) {
      messages.error('The Amp CLI is not installed.', {
        label: 'How to Install',
        run: () => vscode.env.openExternal(vscode.Uri.parse('https://ampcode.com/manual')),
      });
      return;
    }
    const roots = await this.deps.workspaceFolders();
    const choice = await chooseWorkingFolder(head.folders, {
      roots,
      choose: (folder) => chooseFolder(folder, roots[0]),
    });
    if (!choice) return;
    const cwd = choice.folder;
    const terminal = vscode.window.createTerminal({
      name: `Amp: ${displayTitle(head).slice(0, 40)}`,
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      ...(cwd === undefined ? {} : { cwd }),
      env: { PATH: [path.dirname(amp), process.env['PATH'] ?? ''].join(path.delimiter) },
    });
    terminal.show();
    // The command is entered in the user's shell, which stays open after the CLI has ended. The id contains only
    // letters, digits and dashes.
    terminal.sendText(`amp threads continue ${id}`);
  }

  private async continueInChat(head: ThreadHead): Promise<void> {
    if (!this.checkTrustOrShowError()) return;
    const { read, startChat, openFolders } = this.deps;
    const roots = openFolders();
    const folder = (await findFolderInWorkspace(head.folders, roots)) ?? roots[0];
    await startChat(threadDigest(await read(head.id), folder), folder);
  }

  private async export(head: ThreadHead, format: ExportFormat): Promise<void> {
    const { read, readSubthread, chooseFile, messages } = this.deps;
    const extension = extensionByFormat[format];
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
    const suggested = vscode.Uri.joinPath(folder, `${exportFileName(titleOf(head), 'thread')}.${extension}`);
    const file = await chooseFile(suggested, { [extension.toUpperCase()]: [extension] });
    if (!file) return;
    const thread = await addSubthreadSteps(await read(head.id), readSubthread);
    const { head: current, entries } = thread;
    const header = {
      title: titleOf(current),
      agentName: current.model === undefined ? 'Amp' : `Amp (${current.model})`,
      ...(current.createdAt === undefined ? {} : { createdAt: current.createdAt }),
      updatedAt: current.lastPromptAt,
      thread: exportMetadata(thread),
    };
    const { exportTranscript } = await import('../../transcript/common/export/exportTranscript');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(exportTranscript(header, entries, format)));
    messages.info(`Exported the thread to ${vscode.workspace.asRelativePath(file)}.`, {
      label: 'Open',
      run: () => vscode.commands.executeCommand('vscode.open', file),
    });
  }

  /** Returns whether agents can be started. If the workspace is not trusted, shows an error. */
  private checkTrustOrShowError(): boolean {
    if (this.deps.isTrusted()) return true;
    this.deps.messages.error('Trust this workspace to continue threads.', {
      label: 'Manage Workspace Trust',
      run: () => vscode.commands.executeCommand('workbench.trust.manage'),
    });
    return false;
  }
}

function checkedId({ id }: ThreadHead): string {
  if (!safeId.test(id)) throw new Error(`"${id}" is not a valid thread ID.`);
  return id;
}

function fileOf({ path: file }: ThreadHead): string {
  if (file === undefined) throw new Error('This thread has no file on this machine. Export it first.');
  return file;
}

async function reveal(file: string): Promise<void> {
  // Remote windows have no file manager, so the file is opened in the editor.
  const command = vscode.env.remoteName === undefined ? 'revealFileInOS' : 'vscode.open';
  await vscode.commands.executeCommand(command, vscode.Uri.file(file));
}

/** Asks before a folder outside the workspace is used, because files in a folder can make a shell run commands. */
async function chooseFolder(folder: string, own: string | undefined): Promise<'thread' | 'workspace' | undefined> {
  const threadFolder = 'Start in Thread Folder';
  const workspace = own === undefined ? 'Start in Default Folder' : 'Start in Workspace';
  const detail = `${showHiddenCharacters(folder)}\n\nThe thread used this folder, which is not in this workspace.`;
  const message = 'Continue this thread outside the workspace?';
  const choice = await vscode.window.showWarningMessage(message, { modal: true, detail }, threadFolder, workspace);
  return choice && (choice === threadFolder ? 'thread' : 'workspace');
}
