import * as vscode from 'vscode';
import { rejectOnAbort } from '../../session/common/rejectOnAbort';
import type { LoadAnswer } from '../node/catalogue/loadQuestions';

/** Asks whether an agent that may delete a loaded session should load it. */
export async function askToLoadSession(agentTitle: string, signal: AbortSignal | undefined): Promise<LoadAnswer> {
  const summary = 'Continue with a Summary';
  const load = 'Load Anyway';
  const detail =
    `If you load it, ${agentTitle} deletes its own copy the next time it starts in this folder. Backline keeps the conversation. ` +
    `If you continue with a summary, the copy stays, but ${agentTitle} knows less of what was said. ` +
    'To load without this question, set "general.sessionRetention.enabled" to false in ~/.gemini/settings.json.';
  const options = { modal: true, detail };
  const asked = vscode.window.showWarningMessage(`Load this conversation in ${agentTitle}?`, options, summary, load);
  const answer = await rejectOnAbort(Promise.resolve(asked), signal);
  return answer === load ? 'load' : answer === summary ? 'summary' : undefined;
}
