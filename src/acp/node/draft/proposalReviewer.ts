import type { SessionEvent, ToolContent } from '../../../session/common/sessionEvents';
import { messageOf } from '../../../base/common/errors';
import type { EditorPort, TextFile } from '../../../editor/common/editorPort';
import { readTextIfExists } from '../../../editor/common/readTextIfExists';
import type { FileAccess } from '../../../editor/common/writeObserver';
import { parseProposals } from '../../common/draft/proposals';
import type { CallDescription } from '../../common/session/toolCalls';
import { toToolRequest } from '../../common/approvals/toolRequests';
import { applyDiff, DiffError, type FileDiff } from '../../common/draft/unifiedDiff';
import type { PermissionService, PermissionOutcome } from '../session/permissionService';

interface ProposalReviewerDeps {
  readonly sessionId: string;
  readonly agentId: string;
  readonly cwd: string;
  readonly editor: FileAccess;
  readonly protectionOf: EditorPort['protectionOf'];
  readonly permissions: Pick<PermissionService, 'mayApplyChange'>;
  readonly emit: (event: SessionEvent) => void;
}

interface Change {
  readonly path: string;
  readonly before: TextFile | undefined;
  readonly newText: string;
}

/** Maximum number of proposals per answer. A user would not review more. */
const maxProposals = 50;

/** Offers the diffs in an answer as edits, because agents cannot write files in the draft protocol. */
export class ProposalReviewer {
  constructor(private readonly deps: ProposalReviewerDeps) {}

  /** Offers the proposals of an answer one by one. Never rejects; ends early when `signal` fires. */
  async offerProposals(answer: string, requestId: string, signal: AbortSignal): Promise<void> {
    const { diffs, problems } = parseProposals(answer);
    for (const problem of problems) this.warn(`A diff in the answer cannot be applied: ${problem}`);
    if (diffs.length > maxProposals) {
      this.warn(`The answer proposes changes to ${diffs.length} files; only the first ${maxProposals} are shown.`);
    }
    for (const [index, diff] of diffs.slice(0, maxProposals).entries()) {
      if (signal.aborted) return;
      await this.offerProposal(diff, `${requestId}-change-${index + 1}`, signal);
    }
  }

  private async offerProposal(diff: FileDiff, callId: string, signal: AbortSignal): Promise<void> {
    const { emit, sessionId } = this.deps;
    const title = `${diff.change === 'create' ? 'Create' : 'Edit'} ${diff.path}`;
    const call = { session_id: sessionId, call_id: callId, tool_name: 'proposal', operation: 'edit' };
    const start = (path: string, content: ToolContent[]): void => {
      const data = { ...call, input: { path }, kind: 'edit' as const, title, locations: [{ path }], content };
      emit({ event: 'tool:pre', data });
    };
    const fail = (error: string): void => emit({ event: 'tool:error', data: { ...call, error } });

    let change: Change;
    try {
      change = await this.computeChange(diff, signal);
    } catch (error) {
      start(diff.path, []);
      fail(failureMessage(diff, error));
      return;
    }
    const { path, before, newText } = change;
    start(path, [{ type: 'diff', path, old_text: before?.text ?? null, new_text: newText }]);
    try {
      const permit = await this.askUser(change, { title, callId, signal });
      if (!permit.isGranted) {
        fail('You did not apply this change.');
        return;
      }
      await this.apply(change, permit.protectedFiles, signal);
      emit({ event: 'tool:post', data: { ...call, result: { success: true } } });
    } catch (error) {
      fail(failureMessage(diff, error));
    }
  }

  private async askUser(
    { path, before, newText }: Change,
    { title, callId, signal }: { title: string; callId: string; signal: AbortSignal },
  ): Promise<PermissionOutcome> {
    const { agentId, cwd, editor, permissions, protectionOf } = this.deps;
    const call: CallDescription = {
      name: undefined,
      title,
      kind: 'edit',
      content: [{ type: 'diff', path, oldText: before?.text ?? null, newText }],
      locations: [{ path }],
      rawInput: { path, unsaved: before?.isDirty ?? false },
    };
    const exact = { before: before?.text, after: newText };
    const request = await toToolRequest(call, {
      agent: agentId,
      cwd,
      resolve: (name) => editor.realPathOf(name),
      protectionOf: (name) => protectionOf(name, exact),
    });
    return permissions.mayApplyChange(call, request, { callId, signal });
  }

  /** Applies a diff to the current text of its file, without writing it. @throws EditorError, DiffError */
  private async computeChange(diff: FileDiff, signal: AbortSignal): Promise<Change> {
    const { editor } = this.deps;
    if (diff.change === 'delete')
      throw new Error(`Agents can’t delete files through Backline. Delete ${diff.path} yourself.`);
    const path = await editor.resolve(diff.path);
    const before = await readTextIfExists(editor, path, signal);
    if (diff.change === 'edit' && !before) throw new DiffError('the file does not exist.');
    if (diff.change === 'create' && before) throw new DiffError('the file already exists.');
    const newText = applyDiff(before?.text ?? '', diff);
    await editor.requireWritable(path, newText);
    return { path, before, newText };
  }

  /** Applies a change if the file has not changed since the user saw it. @throws EditorError, DiffError */
  private async apply(
    { path, before, newText }: Change,
    protectedFiles: 'allow' | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { editor } = this.deps;
    if (!before && (await readTextIfExists(editor, path, signal))) throw new DiffError('the file already exists.');
    await editor.writeText(path, newText, {
      signal,
      ...(before ? { expectedVersion: before.version } : { mayReplace: () => false }),
      ...(protectedFiles ? { protectedFiles } : {}),
    });
  }

  private warn(message: string): void {
    this.deps.emit({ event: 'notice', data: { session_id: this.deps.sessionId, level: 'warning', message } });
  }
}

function failureMessage({ path }: FileDiff, error: unknown): string {
  if (!(error instanceof DiffError)) return messageOf(error);
  return `The change does not apply to the current contents of ${path}: ${error.message} Nothing was changed. Ask the agent to read the file again.`;
}
