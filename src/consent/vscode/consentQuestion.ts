import * as vscode from 'vscode';
import {
  describeThing,
  detailsOf,
  choicesFor,
  placeOf,
  questionAbout,
  type BroughtThing,
} from '../common/broughtThing';
import type { ConsentAnswer } from '../common/consentBook';

const allow = 'Allow';
const deny = 'Don’t Allow';
const show = 'Show';

/** Answers that come after the question was closed. */
type LateAnswer = (thing: BroughtThing, answer: ConsentAnswer) => void;

/**
 * One modal question. What the dialog cannot show whole is only allowed beside its open file, and not at all without one. Undefined when it was closed,
 * or when the user wants to look first: then a message waits beside the file, and `onLateAnswer` hears of its answer.
 */
export async function askInDialog(
  thing: BroughtThing,
  hasChanged: boolean,
  onLateAnswer: LateAnswer,
): Promise<ConsentAnswer | undefined> {
  const { canAllow, canShow } = choicesFor(thing);
  const answers = [...(canAllow ? [allow] : []), deny, ...(canShow ? [show] : [])];
  const options = { modal: true, detail: detailsOf(thing, hasChanged) };
  const chosen = await vscode.window.showWarningMessage(questionAbout(thing), options, ...answers);
  if (chosen !== show) return answerOf(chosen);
  // What the user could not look at is not offered to be allowed.
  if (await openSource(thing)) void askInCorner(thing, onLateAnswer);
  return undefined;
}

/** Does not cover the file that the user looks at. */
async function askInCorner(thing: BroughtThing, onLateAnswer: LateAnswer): Promise<void> {
  const message = `${questionAbout(thing)} It is in ${placeOf(thing.source)}.`;
  const answer = answerOf(await vscode.window.showWarningMessage(message, allow, deny));
  if (answer) onLateAnswer(thing, answer);
}

function answerOf(chosen: string | undefined): ConsentAnswer | undefined {
  if (chosen === allow) return 'allowed';
  return chosen === deny ? 'denied' : undefined;
}

/** With the entry selected, where its name can be found. Resolves with whether the file is open. */
async function openSource(thing: BroughtThing): Promise<boolean> {
  const { file, keys } = thing.source;
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
      `Backline: ${file} cannot be opened, so ${describeThing(thing)} cannot be shown.`,
    );
    return false;
  }
}
