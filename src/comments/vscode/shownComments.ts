import * as vscode from 'vscode';
import { isDraft, type Comment, type CommentThread, type ThreadState } from '../common/commentThread';
import { inertMarkdown } from '../common/inertMarkdown';
import type { CommentPlace } from '../common/placeComment';

const stateLabels: Record<ThreadState, string> = {
  finding: 'Finding',
  draft: 'Draft',
  sent: 'Sent',
  answered: 'Answered',
  resolved: 'Resolved',
};

/** A comment of VS Code that knows which stored one it shows. */
export interface ShownComment extends vscode.Comment {
  readonly threadId: string;
  readonly commentId: string;
}

export function isShownComment(value: unknown): value is ShownComment {
  return typeof value === 'object' && value !== null && 'threadId' in value && 'commentId' in value;
}

/** The label of a thread: what became of it, and of its lines. */
export function labelOf(state: ThreadState, place: CommentPlace): string {
  const ofLines = { same: [], changed: ['Lines changed since'], gone: ['The lines are gone'] }[place.kind];
  return [stateLabels[state], ...ofLines].join(' · ');
}

/** What VS Code shows of a thread, with before and after if the lines have changed since. */
export function commentsOf(thread: CommentThread, place: CommentPlace): vscode.Comment[] {
  const shown: vscode.Comment[] = thread.comments.map((comment) => shownComment(thread, comment));
  return place.kind === 'changed' ? [...shown, changeOf(place)] : shown;
}

function shownComment(thread: CommentThread, comment: Comment): ShownComment {
  const { agent, at, id, text } = comment;
  return {
    threadId: thread.id,
    commentId: id,
    author: { name: agent ?? 'You' },
    // What the user has written is plain text; what an agent writes is Markdown without links.
    body: agent === undefined ? text : new vscode.MarkdownString(inertMarkdown(text)),
    mode: vscode.CommentMode.Preview,
    contextValue: agent === undefined ? 'user' : 'agent',
    timestamp: new Date(at),
    ...(isDraft(comment) ? { label: 'Draft' } : {}),
  };
}

/** A comment of the user that is only on the screen. */
export function unstoredComment(text: string): vscode.Comment {
  return {
    author: { name: 'You' },
    body: text,
    mode: vscode.CommentMode.Preview,
    contextValue: 'unstored',
    label: 'Not stored',
  };
}

function changeOf({ after, before }: { readonly after: string; readonly before: string }): vscode.Comment {
  const body = new vscode.MarkdownString('These lines have changed since. Before:\n');
  body.appendCodeblock(before).appendMarkdown('\nNow:\n').appendCodeblock(after);
  return {
    author: { name: 'Backline' },
    body,
    mode: vscode.CommentMode.Preview,
    contextValue: 'system',
  };
}
