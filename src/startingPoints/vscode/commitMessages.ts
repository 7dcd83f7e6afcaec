import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { EditorPort } from '../../editor/common/editorPort';
import { contextKeys } from '../../manifest';
import { findGitRepository, type GitRepository } from '../../platform/vscode/git/gitRepository';
import { commitMessageIn, commitPrompt } from '../common/commitMessage';
import type { BackgroundAgent } from '../common/startingPoint';

interface CommitMessagesDeps {
  readonly editor: Pick<EditorPort, 'readText' | 'resolve'>;
  readonly agent: BackgroundAgent;
  /** Asks the user; see `Messages.offer`. */
  readonly offer: (message: string, label: string) => Promise<boolean>;
}

const messageCount = 10;
const maxFiles = 300;
const maxNewFileUnits = 4_000;

const SourceControl = z.object({ rootUri: z.custom<vscode.Uri>((uri) => uri instanceof vscode.Uri) });

/** Lets an agent write the text of the input box of the Source Control view. Dispose it to stop that. */
export class CommitMessages implements vscode.Disposable {
  private running: AbortController | undefined;

  constructor(private readonly deps: CommitMessagesDeps) {}

  /** `given`: the source control of a repository. The input box keeps its text if this fails. @throws Error, BackendError */
  async write(given: unknown, picksAgent: boolean): Promise<void> {
    if (this.running) return;
    const running = (this.running = new AbortController());
    const isRunning = (value: boolean): Thenable<unknown> =>
      vscode.commands.executeCommand('setContext', contextKeys.startingPointsWritesMessage, value);
    void isRunning(true);
    try {
      const options = { location: vscode.ProgressLocation.SourceControl, title: 'Writing the commit message' };
      await vscode.window.withProgress(options, () => this.ask(given, picksAgent, running.signal));
    } catch (error) {
      if (!running.signal.aborted) throw error;
    } finally {
      this.running = undefined;
      void isRunning(false);
    }
  }

  stop(): void {
    this.running?.abort();
  }

  dispose(): void {
    this.stop();
  }

  private async ask(given: unknown, picksAgent: boolean, signal: AbortSignal): Promise<void> {
    const place =
      z.safeParse(SourceControl, given).data?.rootUri ?? activeFile() ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    const repository = place && (await findGitRepository(place.fsPath, true));
    if (!repository) throw new Error('There is no Git repository here.');
    const typed = repository.commitText;
    const [changes, messages] = await Promise.all([this.changesOf(repository), repository.lastMessages(messageCount)]);
    const prompt = commitPrompt({ ...changes, messages, typed: typed.trim() });
    const answer = await this.deps.agent.ask({ prompt, folder: repository.root, picksAgent, signal });
    const message = answer === undefined ? undefined : commitMessageIn(answer);
    if (message === undefined || signal.aborted) return;
    if (message === '') throw new Error('The agent has answered without a message.');
    // The user may have gone on typing.
    const replaced = repository.commitText;
    repository.commitText = message;
    if (replaced.trim() !== '') void this.offerToRestore(repository, replaced, message);
  }

  private async offerToRestore(repository: GitRepository, replaced: string, written: string): Promise<void> {
    if (!(await this.deps.offer('The agent has written the commit message.', 'Restore Previous Text'))) return;
    const now = repository.commitText;
    const isEdited = now !== written && now.trim() !== '';
    repository.commitText = isEdited ? `${replaced}\n\n${now}` : replaced;
  }

  /** Returns the staged changes, or all if there are none, as far as agents may read the files. */
  private async changesOf({ staged, modified, untracked, ...repository }: GitRepository) {
    const isStaged = staged.length > 0;
    const tracked = (isStaged ? staged : modified).map(({ path }) => path);
    const created = isStaged ? [] : untracked.map(({ path }) => path);
    if (tracked.length + created.length === 0) throw new Error('There are no changes to describe.');
    const diffOf = async (path: string): Promise<string> => {
      if (created.includes(path)) return await this.newFileText(path);
      return await (isStaged ? repository.diffStaged(path) : repository.diffWithHead(path)).catch(() => '');
    };
    const all = [...new Set([...tracked, ...created])].slice(0, maxFiles);
    const found = await Promise.allSettled(
      all.map(async (path) => {
        await this.deps.editor.resolve(path);
        return { path: vscode.workspace.asRelativePath(path), diff: await diffOf(path) };
      }),
    );
    const changes = found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (changes.length === 0) throw new Error('All changed files are excluded, so an agent can’t describe them.');
    return { changes, hiddenCount: all.length - changes.length };
  }

  private async newFileText(path: string): Promise<string> {
    const text = await this.deps.editor.readText(path).then(
      (file) => file.text,
      () => '',
    );
    return text === '' ? '' : `New file ${vscode.workspace.asRelativePath(path)}:\n${text.slice(0, maxNewFileUnits)}`;
  }
}

function activeFile(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? uri : undefined;
}
