import * as path from 'node:path';
import * as vscode from 'vscode';
import { namingHiddenCharacters } from '../../base/common/hiddenCharacters';
import type { Messages } from '../../platform/vscode/messages';
import { exportedPart } from '../common/heads/exportedHead';
import type { ThreadAction } from '../common/page/threadApi';
import { threadDigest, type ThreadDigest } from '../common/exports/threadDigest';
import { threadLink } from '../common/model/threadLinks';
import type { OpenThread, ThreadHead } from '../common/threadPorts';
import { shownTitle, titleOf } from '../common/tree/threadRow';
import { withSubthreads } from '../common/subthreads/withSubthreads';
import { knownFolder, workingFolder } from '../node/workspace/workingFolder';
import { exportFileName } from '../../transcript/common/export/exportFileName';

interface ThreadActionsOptions {
  /** @throws ThreadError */
  readonly read: (threadId: string) => Promise<OpenThread>;
  /** Of a subagent, for an export. @throws ThreadError */
  readonly readSubthread: (threadId: string) => Promise<OpenThread>;
  /** The file that a shell starts as `amp`, absolute; undefined when there is none on this machine. */
  readonly findAmp: () => Promise<string | undefined>;
  /** Begins a conversation with another agent, which is given the digest. `folder` is absolute, of the workspace. */
  readonly startChat: (digest: ThreadDigest, folder: string | undefined) => Promise<void>;
  readonly messages: Messages;
  /** Undefined when the user does not want it. */
  readonly chooseFile: (suggested: vscode.Uri, filters: Record<string, string[]>) => Promise<vscode.Uri | undefined>;
  readonly isTrusted: () => boolean;
  /** Absolute, of the workspace, with its worktrees, the workspace's first one first. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  /** Absolute, of the workspace only: agents of the chat work nowhere else. */
  readonly openFolders: () => readonly string[];
}

const formats = { exportMarkdown: 'markdown', exportHtml: 'html', exportJson: 'json' } as const;
const extensions = { markdown: 'md', html: 'html', json: 'json' } as const;
type ExportFormat = keyof typeof extensions;

/** What may stand in a command line and in a link. */
const safeId = /^T-[0-9a-f-]+$/;

/** What the user does with a thread. Threads are only ever read. */
export class ThreadActions {
  constructor(private readonly options: ThreadActionsOptions) {}

  /** What makes sense for this thread. */
  available({ id, path: file }: ThreadHead): readonly ThreadAction[] {
    const hasId = safeId.test(id);
    const hasFile = file !== undefined;
    return [
      ...(hasId ? (['continueInAmp'] as const) : []),
      'continueInChat',
      'exportMarkdown',
      'exportHtml',
      'exportJson',
      ...(hasId ? (['copyLink'] as const) : []),
      ...(hasFile ? (['copyPath'] as const) : []),
      'copyId',
      ...(hasFile ? (['reveal'] as const) : []),
    ];
  }

  /** @throws ThreadError and Error, for the user to read */
  async run(action: ThreadAction, head: ThreadHead): Promise<void> {
    switch (action) {
      case 'continueInAmp':
        await this.continueInAmp(head);
        return;
      case 'continueInChat':
        await this.continueInChat(head);
        return;
      case 'exportMarkdown':
      case 'exportHtml':
      case 'exportJson':
        await this.export(head, formats[action]);
        return;
      case 'copyLink':
        await vscode.env.clipboard.writeText(threadLink(checkedId(head)));
        return;
      case 'copyPath':
        await vscode.env.clipboard.writeText(fileOf(head));
        return;
      case 'copyId':
        await vscode.env.clipboard.writeText(head.id);
        return;
      case 'reveal':
        await reveal(fileOf(head));
    }
  }

  private async continueInAmp(head: ThreadHead): Promise<void> {
    const id = checkedId(head);
    if (!this.mayStart()) return;
    const { findAmp, messages } = this.options;
    const amp = await findAmp();
    if (amp === undefined) {
      messages.error('There is no amp CLI on this machine, which continues threads of Amp.', {
        label: 'How to Install',
        run: () => vscode.env.openExternal(vscode.Uri.parse('https://ampcode.com/manual')),
      });
      return;
    }
    const roots = await this.options.workspaceFolders();
    const place = await workingFolder(head.folders, { roots, choose: (folder) => chooseFolder(folder, roots[0]) });
    if (!place) return;
    const cwd = place.folder;
    const terminal = vscode.window.createTerminal({
      name: `Amp: ${shownTitle(head).slice(0, 40)}`,
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      ...(cwd === undefined ? {} : { cwd }),
      env: { PATH: [path.dirname(amp), process.env['PATH'] ?? ''].join(path.delimiter) },
    });
    terminal.show();
    // Into the user's shell, which stays when the CLI ends. The id is of letters, digits and dashes.
    terminal.sendText(`amp threads continue ${id}`);
  }

  private async continueInChat(head: ThreadHead): Promise<void> {
    if (!this.mayStart()) return;
    const { read, startChat, openFolders } = this.options;
    const roots = openFolders();
    const folder = (await knownFolder(head.folders, roots)) ?? roots[0];
    await startChat(threadDigest(await read(head.id), folder), folder);
  }

  private async export(head: ThreadHead, format: ExportFormat): Promise<void> {
    const { read, readSubthread, chooseFile, messages } = this.options;
    const extension = extensions[format];
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
    const suggested = vscode.Uri.joinPath(folder, `${exportFileName(titleOf(head), 'thread')}.${extension}`);
    const file = await chooseFile(suggested, { [extension.toUpperCase()]: [extension] });
    if (!file) return;
    const thread = await withSubthreads(await read(head.id), readSubthread);
    const { head: now, entries } = thread;
    const about = {
      title: titleOf(now),
      who: now.model === undefined ? 'Amp' : `Amp (${now.model})`,
      ...(now.createdAt === undefined ? {} : { createdAt: now.createdAt }),
      updatedAt: now.lastPromptAt,
      thread: exportedPart(thread),
    };
    const { exportTranscript } = await import('../../transcript/common/export/exportTranscript');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(exportTranscript(about, entries, format)));
    messages.info(`The thread is in ${vscode.workspace.asRelativePath(file)}.`, {
      label: 'Open',
      run: () => vscode.commands.executeCommand('vscode.open', file),
    });
  }

  /** Threads may be read in any workspace; something is started only in one that is trusted. */
  private mayStart(): boolean {
    if (this.options.isTrusted()) return true;
    this.options.messages.error('A thread can be continued only in a workspace that you trust.', {
      label: 'Manage Trust',
      run: () => vscode.commands.executeCommand('workbench.trust.manage'),
    });
    return false;
  }
}

function checkedId({ id }: ThreadHead): string {
  if (!safeId.test(id)) throw new Error(`"${id}" is not the id of a thread that Amp knows.`);
  return id;
}

function fileOf({ path: file }: ThreadHead): string {
  if (file === undefined) throw new Error('This thread is not in a file of this machine. Export it first.');
  return file;
}

async function reveal(file: string): Promise<void> {
  // In a remote window there is no file manager: the file itself is shown.
  const command = vscode.env.remoteName === undefined ? 'revealFileInOS' : 'vscode.open';
  await vscode.commands.executeCommand(command, vscode.Uri.file(file));
}

/** A terminal runs what a folder's own files tell the shell, so the user says whether to start in one that is not theirs. */
async function chooseFolder(folder: string, own: string | undefined): Promise<'there' | 'workspace' | undefined> {
  const [there, here] = ['Start There', own === undefined ? 'Start Elsewhere' : 'Start in This Workspace'];
  const detail = `${namingHiddenCharacters(folder)}\n\nThe thread says that it worked in this folder, which is not in this workspace.`;
  const message = 'Continue this thread outside of the workspace?';
  const choice = await vscode.window.showWarningMessage(message, { modal: true, detail }, there, here);
  if (choice === undefined) return undefined;
  return choice === there ? 'there' : 'workspace';
}
