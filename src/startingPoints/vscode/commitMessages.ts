import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { contextKeys } from '../../manifest';
import { findGitHead, findGitRepository, type GitRepository } from '../../platform/vscode/git/gitRepository';
import { commitMessageIn, commitPrompt, maxDiffsUnits } from '../common/commitMessage';
import type { BackgroundAgent } from '../common/startingPoint';

interface CommitMessagesDeps {
  readonly editor: Pick<EditorPort, 'readText' | 'resolve'>;
  readonly agent: BackgroundAgent;
  /** Stores replaced texts. */
  readonly memento: Memento;
  /** Asks the user; see `Messages.offer`. */
  readonly offer: (message: string, label: string) => Promise<boolean>;
}

const messageCount = 10;
/** How many files are read at a time. */
const atOnce = 8;
const maxNewFileUnits = 4_000;

const replacedName = 'startingPoints.replacedCommitTexts';
const maxReplaced = 20;
/** Replaced texts by the root of their repository. */
const Replaced = z.catch(z.record(z.string(), z.string()), {});

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

  /** Puts back the text that the agent's message has replaced last, which can be restored in turn. @throws Error if there is none */
  async restore(given: unknown): Promise<void> {
    const repository = await repositoryOf(given);
    const previous = Replaced.parse(this.deps.memento.get(replacedName))[repository.root];
    if (previous === undefined) throw new Error('No text of the input box was replaced.');
    await this.replace(repository, previous);
  }

  stop(): void {
    this.running?.abort();
  }

  dispose(): void {
    this.stop();
  }

  private async ask(given: unknown, picksAgent: boolean, signal: AbortSignal): Promise<void> {
    const repository = await repositoryOf(given);
    const typed = repository.commitText;
    const before = await stateOf(repository);
    const [changes, messages] = await Promise.all([
      this.changesOf(repository, signal),
      repository.lastMessages(messageCount),
    ]);
    const prompt = commitPrompt({ ...changes, messages, typed: typed.trim() });
    const answer = await this.deps.agent.ask({ prompt, folder: repository.root, picksAgent, signal });
    const message = answer === undefined ? undefined : commitMessageIn(answer);
    if (message === undefined || signal.aborted) return;
    if (message === '') throw new Error('The agent has answered without a message.');
    const now = (await findGitRepository(repository.root, true)) ?? repository;
    // The user may have committed, staged something else or gone on typing.
    const isStale = now.commitText !== typed || (await stateOf(now)) !== before;
    if (isStale && !(await this.deps.offer('The commit has changed since the agent was asked.', 'Use Its Message')))
      return;
    await this.replace(now, message);
    if (typed.trim() !== '') void this.offerToRestore(now);
  }

  /** Puts a text into the input box. What was there can be restored, also after a reload. */
  private async replace(repository: GitRepository, text: string): Promise<void> {
    const replaced = repository.commitText;
    repository.commitText = text;
    if (replaced.trim() === '') return;
    const { memento } = this.deps;
    const others = Object.entries(Replaced.parse(memento.get(replacedName))).filter(
      ([root]) => root !== repository.root,
    );
    const kept = [...others, [repository.root, replaced] as const].slice(-maxReplaced);
    await memento.update(replacedName, Object.fromEntries(kept));
  }

  private async offerToRestore({ root }: GitRepository): Promise<void> {
    const isWanted = await this.deps.offer('The agent has written the commit message.', 'Restore Previous Text');
    if (isWanted) await this.restore({ rootUri: vscode.Uri.file(root) });
  }

  /** Returns the staged changes, or all if there are none, as far as agents may read the files. */
  private async changesOf(repository: GitRepository, signal: AbortSignal) {
    const { staged, modified, untracked } = repository;
    const isStaged = staged.length > 0;
    const tracked = (isStaged ? staged : modified).map(({ path }) => path);
    const created = isStaged ? [] : untracked.map(({ path }) => path);
    if (tracked.length + created.length === 0) throw new Error('There are no changes to describe.');
    const diffOf = async (path: string): Promise<string> => {
      if (created.includes(path)) return await this.newFileText(path);
      return await (isStaged ? repository.diffStaged(path) : repository.diffWithHead(path)).catch(() => '');
    };
    const all = [...new Set([...tracked, ...created])];
    const changes: { readonly path: string; readonly diff: string }[] = [];
    let units = 0;
    for (let from = 0; from < all.length; from += atOnce) {
      // Each diff is a process of Git.
      const hasRoom = units < maxDiffsUnits;
      const found = await Promise.allSettled(
        all.slice(from, from + atOnce).map(async (path) => {
          await this.deps.editor.resolve(path);
          return { path: vscode.workspace.asRelativePath(path), diff: hasRoom ? await diffOf(path) : '' };
        }),
      );
      for (const result of found) {
        if (result.status !== 'fulfilled') continue;
        changes.push(result.value);
        units += result.value.diff.length;
      }
      signal.throwIfAborted();
    }
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

/** `given`: the source control of a repository; by default that of the active file, or else of the first workspace folder. */
async function repositoryOf(given: unknown): Promise<GitRepository> {
  const place =
    z.safeParse(SourceControl, given).data?.rootUri ?? activeFile() ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const repository = place && (await findGitRepository(place.fsPath, true));
  if (!repository) throw new Error('There is no Git repository here.');
  return repository;
}

/** Describes what would be committed, to see whether it has changed. */
async function stateOf({ root, staged }: GitRepository): Promise<string> {
  return JSON.stringify([await findGitHead(root), staged.map(({ path }) => path).sort()]);
}

function activeFile(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? uri : undefined;
}
