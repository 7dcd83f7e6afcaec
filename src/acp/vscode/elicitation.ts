import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk';
import * as vscode from 'vscode';
import * as z from 'zod';
import { toVisibleText } from '../../base/common/text/visibleText';
import { withCancellationToken } from '../../platform/vscode/cancellation';
import {
  findInputProblem,
  formFields,
  parseInput,
  type FormField,
  type FormValue,
} from '../common/session/elicitationForm';

const UrlRequest = z.looseObject({ mode: z.literal('url'), url: z.url({ protocol: /^https?$/ }), message: z.string() });
const FormRequest = z.looseObject({ mode: z.literal('form'), requestedSchema: z.unknown(), message: z.string() });

/** Thrown if the user closed a dialog, or the agent no longer waits. */
class Dismissed extends Error {}

/** Asks the user on behalf of an agent: shows a form, or offers to open a page. Declines unknown requests. */
export async function askUserForAgent(
  agentTitle: string,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  const page = UrlRequest.safeParse(request).data;
  const form = FormRequest.safeParse(request).data;
  if (!page && !form) return { action: 'decline' };
  try {
    return await withCancellationToken(signal, async (token) => {
      if (page) return { action: (await offerToOpen(agentTitle, page, token)) ? 'accept' : 'decline' };
      if (!form) return { action: 'decline' };
      return await fillInForm(agentTitle, form.message, formFields(form.requestedSchema), token);
    });
  } catch (error) {
    if (error instanceof Dismissed) return { action: 'cancel' };
    throw error;
  }
}

/** Shows the URL before opening it, because the agent chose it. @throws Dismissed */
async function offerToOpen(
  agentTitle: string,
  { url, message }: { url: string; message: string },
  token: vscode.CancellationToken,
): Promise<boolean> {
  const { host } = new URL(url);
  const question = `${agentTitle} asks you to open a page on ${host}`;
  const yes = { label: 'Open in Browser', detail: toVisibleText(url) };
  const isWanted = await pickItem(question, message, [{ label: 'Don’t Open' }, yes], token);
  return isWanted === yes && (await vscode.env.openExternal(vscode.Uri.parse(url, true)));
}

/** @throws Dismissed */
async function fillInForm(
  agentTitle: string,
  message: string,
  fields: readonly FormField[],
  token: vscode.CancellationToken,
): Promise<CreateElicitationResponse> {
  const content: Record<string, FormValue> = {};
  if (fields.length === 0) {
    const yes = { label: 'Yes' };
    const chosen = await pickItem(`Request from ${agentTitle}`, message, [yes, { label: 'No' }], token);
    return { action: chosen === yes ? 'accept' : 'decline' };
  }
  for (const [index, field] of fields.entries()) {
    const title = `${agentTitle}: ${field.title} (${index + 1}/${fields.length})`;
    const value = await askForField(title, message, field, token);
    if (value !== undefined) content[field.key] = value;
  }
  return { action: 'accept', content };
}

/** Uses a quick pick instead of a dialog, because the token can close it. */
async function pickItem(
  title: string,
  message: string,
  items: readonly vscode.QuickPickItem[],
  token: vscode.CancellationToken,
): Promise<vscode.QuickPickItem> {
  const options = { title, placeHolder: toVisibleText(message), ignoreFocusOut: true };
  return requireAnswer(await vscode.window.showQuickPick(items, options, token));
}

/** Returns undefined for a skipped field. @throws Dismissed */
async function askForField(
  title: string,
  message: string,
  field: FormField,
  token: vscode.CancellationToken,
): Promise<FormValue | undefined> {
  const placeHolder = field.description === '' ? message : field.description;
  const shown = { title: toVisibleText(title), placeHolder: toVisibleText(placeHolder), ignoreFocusOut: true };
  switch (field.kind) {
    case 'text':
    case 'number': {
      const validateInput = (typed: string): string | undefined => findInputProblem(field, typed);
      const prompt = field.isRequired ? message : `${message} (optional)`;
      const box = { ...shown, prompt, value: field.defaultValue, validateInput };
      return parseInput(field, requireAnswer(await vscode.window.showInputBox(box, token)));
    }
    case 'boolean': {
      const items = [
        { label: 'Yes', value: true },
        { label: 'No', value: false },
      ];
      return requireAnswer(await vscode.window.showQuickPick(items, shown, token)).value;
    }
    case 'choice': {
      const items = field.choices.map(toItem);
      return requireAnswer(await vscode.window.showQuickPick(items, shown, token)).value;
    }
    case 'choices': {
      const items = field.choices.map((choice) => ({
        ...toItem(choice),
        picked: field.defaultValue.includes(choice.value),
      }));
      const picked = await vscode.window.showQuickPick(items, { ...shown, canPickMany: true }, token);
      return requireAnswer(picked).map(({ value }) => value);
    }
  }
}

function toItem({ value, title, description }: { value: string; title: string; description?: string }) {
  return { label: title, value, ...(description === undefined ? {} : { detail: description }) };
}

function requireAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Dismissed('The user closed the dialog.');
  return answer;
}
