import * as vscode from 'vscode';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { Messages } from '../../../platform/vscode/messages';
import { AgentReviews, type AgentReviewsDeps } from '../../common/findings/agentReviews';
import type { BackendPicker } from '../backendPicker';
import type { ChatPages } from '../pages/chatPages';

/** What the chat gets from outside for reviews by other agents. */
export type AgentReviewPorts = Pick<AgentReviewsDeps, 'attachText' | 'showFindings'>;

interface AgentReviewParts extends AgentReviewPorts, Pick<AgentReviewsDeps, 'chats' | 'source'> {
  readonly editor: Pick<EditorPort, 'resolve'>;
  readonly pages: Pick<ChatPages, 'openInTab'>;
  readonly picker: Pick<BackendPicker, 'pickReviewer'>;
  readonly messages: Pick<Messages, 'info'>;
}

/** Creates the reviews of changes by other agents, whose conversations open beside the active editor. */
export function createAgentReviews({ editor, messages, pages, picker, ...parts }: AgentReviewParts): AgentReviews {
  return new AgentReviews({
    ...parts,
    pickAgent: () => picker.pickReviewer(),
    resolve: (path) => editor.resolve(path),
    shownPathOf: (path) => vscode.workspace.asRelativePath(path),
    openBeside: (id) => pages.openInTab(id, vscode.ViewColumn.Beside),
    notify: (text) => messages.info(text),
  });
}
