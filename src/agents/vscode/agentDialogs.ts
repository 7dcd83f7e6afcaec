import * as vscode from 'vscode';
import { toSafeNotificationText } from '../../base/common/text/noticeText';
import { toVisibleText } from '../../base/common/text/visibleText';
import type { AgentQuestions } from '../common/agentPorts';
import { formatBytes } from '../common/formatBytes';
import { accountNameProblem } from '../common/agentAccounts';
import { installQuestion } from '../common/terms/installQuestion';

/** Asks with modal dialogs of VS Code. */
export const agentDialogs: AgentQuestions = {
  confirmInstall: async (plan, agent, changes) => {
    const { action, detail, message } = installQuestion(plan, agent, changes);
    return await confirm(message, detail, action);
  },
  confirmRemove: async ({ bytes, name }, isWorking) => {
    const detail = [
      ...(isWorking ? [`${toVisibleText(name)} is still answering. The answer will be stopped.`] : []),
      `This deletes its program (${formatBytes(bytes)}) and its stored keys. Conversations are kept.`,
    ];
    return await confirm(`Remove ${toVisibleText(name)}?`, detail.join('\n\n'), 'Remove');
  },
  askAccount: async ({ accounts = [], name }) => {
    const title = `Add Account for ${toVisibleText(name)}`;
    const entered = await vscode.window.showInputBox({
      title,
      prompt:
        'A name for the account. The account has its own keys. If the agent stores a sign-in itself, all its accounts share it.',
      placeHolder: 'Work',
      ignoreFocusOut: true,
      validateInput: (text) => (text === '' ? undefined : accountNameProblem(text, accounts)),
    });
    return entered === undefined || accountNameProblem(entered, accounts) !== undefined ? undefined : entered.trim();
  },
  confirmRemoveAccount: async ({ name }, account, isWorking) => {
    const detail = [
      ...(isWorking ? ['The agent is still answering. The answer will be stopped.'] : []),
      'This deletes the account with its stored keys. The agent and conversations are kept.',
    ];
    const message = `Remove the account “${account}” for ${toVisibleText(name)}?`;
    return await confirm(message, detail.join('\n\n'), 'Remove');
  },
};

export async function confirm(message: string, detail: string, action: string): Promise<boolean> {
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(toSafeNotificationText(message), options, action)) === action;
}
