import * as vscode from 'vscode';
import {
  describeSubject,
  dialogDetailsOf,
  dialogChoicesFor,
  describeSource,
  dialogQuestionOf,
  groupDetailsOf,
  groupQuestionOf,
  type AskedSubject,
  type ConsentSubject,
} from '../common/consentSubject';
import type { ConsentAnswer } from '../common/consentStore';

const allow = 'Allow';
const deny = 'Don’t Allow';
const show = 'Show';
const allowAll = 'Allow All';
const denyAll = 'Don’t Allow Any';
const each = 'Review Each';

/** Receives answers that the user gives after the modal dialog was closed. */
type LateAnswer = (subject: ConsentSubject, answer: ConsentAnswer) => void;

/** Asks in a modal dialog. Undefined if the user selects Show: the question appears next to the open file. */
export async function askForConsent(asked: AskedSubject, onLateAnswer: LateAnswer): Promise<ConsentAnswer | undefined> {
  const { subject } = asked;
  const { canAllow, canShow } = dialogChoicesFor(subject);
  const answers = [...(canAllow ? [allow] : []), deny, ...(canShow ? [show] : [])];
  const options = { modal: true, detail: dialogDetailsOf(asked) };
  const chosen = await vscode.window.showWarningMessage(dialogQuestionOf(subject), options, ...answers);
  if (chosen !== show) return answerOf(chosen);
  // The question is only shown if the user can see the file.
  if (await openSource(subject)) void askInNotification(subject, onLateAnswer);
  return undefined;
}

/** Asks about several subjects of one kind in one modal dialog, which shows them completely. */
export async function askForConsentToAll(asked: readonly AskedSubject[]): Promise<ConsentAnswer | 'each' | undefined> {
  const [first] = asked;
  if (!first) return undefined;
  const options = { modal: true, detail: groupDetailsOf(asked) };
  const question = groupQuestionOf(first.subject.kind, asked.length);
  const chosen = await vscode.window.showWarningMessage(question, options, allowAll, denyAll, each);
  if (chosen === each) return 'each';
  if (chosen === allowAll) return 'allowed';
  return chosen === denyAll ? 'denied' : undefined;
}

/** Asks in a notification, because a modal dialog would cover the open file. */
async function askInNotification(subject: ConsentSubject, onLateAnswer: LateAnswer): Promise<void> {
  const message = `${dialogQuestionOf(subject)} It is in ${describeSource(subject.source)}.`;
  const answer = answerOf(await vscode.window.showWarningMessage(message, allow, deny));
  if (answer) onLateAnswer(subject, answer);
}

function answerOf(chosen: string | undefined): ConsentAnswer | undefined {
  if (chosen === allow) return 'allowed';
  return chosen === deny ? 'denied' : undefined;
}

/** Opens the file at the entry if its name is found. Resolves to whether the file was opened. */
async function openSource(subject: ConsentSubject): Promise<boolean> {
  const { file, keys } = subject.source;
  if (file === undefined) return false;
  try {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const text = document.getText();
    let at = 0;
    for (const key of keys) at = Math.max(at, text.indexOf(JSON.stringify(key), at));
    const place = document.positionAt(at);
    const selection = new vscode.Range(place, place);
    await vscode.window.showTextDocument(document, { preview: true, selection });
    return true;
  } catch {
    void vscode.window.showErrorMessage(
      `Backline: Could not open ${file} to show ${describeSubject(subject)}. Check that the file exists, then try again.`,
    );
    return false;
  }
}
