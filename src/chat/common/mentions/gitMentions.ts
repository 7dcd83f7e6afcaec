import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { MentionRow } from '../chatView';
import { matchesKeyword, filterReadableItems } from './mentions';

interface GitChanges {
  readonly root: string;
  readonly branch: string;
  readonly files: readonly GitFile[];
}

export interface GitFile {
  /** Absolute path of the changed file. */
  readonly path: string;
  readonly state: 'changed' | 'untracked' | 'deleted';
}

export interface GitPort {
  /** Returns the uncommitted changes. Undefined without Git or without a repository. */
  changes(): Promise<GitChanges | undefined>;
  /** Returns the output of `git diff HEAD`; empty for an untracked file. */
  diff(path: string): Promise<string>;
}

const maxFiles = 100;
/** Maximum length of the sent text, in UTF-16 units. */
const maxLength = 64 * 1024;

/** Uncommitted changes, as a diff. Leaves out files that agents may not access. */
export class GitMentions implements MentionSource {
  readonly kind = 'git';

  constructor(
    private readonly git: GitPort,
    private readonly editor: Pick<EditorPort, 'resolve'>,
  ) {}

  async search(query: string): Promise<MentionRow[]> {
    if (!matchesKeyword(query, 'git changes', 'changes', 'diff')) return [];
    const changes = await this.git.changes();
    if (!changes) return [];
    const { length } = await this.readableFiles(changes);
    if (length === 0) return [];
    return [{ kind: 'git', id: 'git', title: `Git changes (${length})`, detail: `On ${changes.branch}` }];
  }

  async resolve(_attachment: unknown, signal: AbortSignal): Promise<readonly PromptAttachment[]> {
    const changes = await this.git.changes();
    if (!changes) return [];
    const files = await this.readableFiles(changes);
    if (files.length === 0) return [];
    const parts = [`Not committed on ${changes.branch}:`, ...files.map(({ path, state }) => `${state}: ${path}`)];
    let length = 0;
    for (const { path, state } of files) {
      signal.throwIfAborted();
      if (state === 'untracked') continue;
      const diff = await this.git.diff(path);
      length += diff.length;
      if (length > maxLength) {
        parts.push('', '… the diffs of more files are left out');
        break;
      }
      if (diff !== '') parts.push('', diff);
    }
    return [{ type: 'text', title: `Git changes in ${changes.root}`, text: parts.join('\n') }];
  }

  private async readableFiles({ files }: GitChanges): Promise<GitFile[]> {
    return await filterReadableItems(this.editor, files.slice(0, maxFiles));
  }
}
