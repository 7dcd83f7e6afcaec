import * as vscode from 'vscode';
import { toSafeNotificationText } from '../../base/common/noticeText';
import { toVisibleText } from '../../base/common/visibleText';
import type { AgentQuestions } from '../common/agentPorts';
import { formatBytes } from '../common/formatBytes';
import { installQuestion } from '../common/install/installQuestion';

/** Asks with dialogs of VS Code that nothing else can cover. */
export const agentDialogs: AgentQuestions = {
  confirmInstall: async (plan, agent) => {
    const { detail, message } = installQuestion(plan, agent);
    return await confirm(message, detail, 'Install');
  },
  confirmRemove: async ({ bytes, name }, isWorking) => {
    const detail = [
      ...(isWorking ? [`${toVisibleText(name)} is working on an answer, which will be stopped.`] : []),
      `This deletes its program (${formatBytes(bytes)}) and its stored keys. Conversations are kept.`,
    ];
    return await confirm(`Remove ${toVisibleText(name)}?`, detail.join('\n\n'), 'Remove');
  },
};

export async function confirm(message: string, detail: string, action: string): Promise<boolean> {
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(toSafeNotificationText(message), options, action)) === action;
}
