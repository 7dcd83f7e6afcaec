import * as vscode from 'vscode';
import { toVisibleText } from '../../../base/common/text/visibleText';
import type { LlmProvider } from '../../common/agentBackend';
import {
  addressProblem,
  headersKeptForAddress,
  providerHeaderProblem,
  type ProviderChoice,
  type ProviderHeader,
} from '../../common/providers/providerChoice';
import { protocolName } from '../../common/providers/providerRows';

type Address = Extract<ProviderChoice, { readonly kind: 'address' }>;

/** Asks for the protocol, the address and the headers of an LLM provider. Undefined if the user cancels. */
export async function askForAddressAndHeaders(
  title: string,
  provider: LlmProvider,
  earlier: ProviderChoice | undefined,
): Promise<Address | undefined> {
  const apiType = await askForProtocol(title, provider);
  if (apiType === undefined) return undefined;
  const shown = earlier?.kind === 'address' ? earlier.baseUrl : '';
  const baseUrl = await askForBaseUrl(title, shown);
  if (baseUrl === undefined) return undefined;
  const headers = await askForHeaders(title, headersKeptForAddress(earlier, baseUrl));
  return headers && { kind: 'address', apiType, baseUrl, headers };
}

async function askForProtocol(title: string, { current, supported }: LlmProvider): Promise<string | undefined> {
  const [first = current?.apiType, ...others] = supported;
  if (first === undefined)
    throw new Error('The agent names no protocol for this LLM provider, so it cannot be changed.');
  if (others.length === 0) return first;
  const items = [first, ...others]
    .map((apiType) => ({
      label: protocolName(apiType),
      description: apiType === current?.apiType ? 'current' : '',
      apiType,
    }))
    .sort((a, b) => Number(b.description !== '') - Number(a.description !== ''));
  const placeHolder = 'Select the API protocol that the address supports';
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.apiType;
}

async function askForBaseUrl(title: string, value: string): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title,
    value,
    prompt: 'The agent sends its requests to this address, with your prompts and the files that it reads.',
    placeHolder: 'https://llm-gateway.example.com/v1',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : addressProblem(text.trim())),
  });
  if (entered === undefined || entered.trim() === '') return undefined;
  return entered.trim();
}

const save = 'Save';

/** Lists headers by their names until the user saves them. Undefined if the user cancels. */
async function askForHeaders(
  title: string,
  given: readonly ProviderHeader[],
): Promise<readonly ProviderHeader[] | undefined> {
  let headers = given;
  for (;;) {
    const items: (vscode.QuickPickItem & { readonly header?: ProviderHeader })[] = [
      { label: save, description: headers.length === 0 ? 'without headers' : '', alwaysShow: true },
      { label: 'Add Header…', description: 'for example Authorization' },
      ...headers.map((header) => ({ label: header.name, description: 'stored, select to remove it', header })),
    ];
    const placeHolder = 'Headers that the agent sends with each request. They are kept in VS Code’s secret storage';
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
    if (!chosen) return undefined;
    if (chosen.header) headers = headers.filter((header) => header !== chosen.header);
    else if (chosen.label === save) return headers;
    else {
      const added = await askForHeader(title);
      if (added) headers = [...headers.filter(({ name }) => !isSameName(name, added.name)), added];
    }
  }
}

async function askForHeader(title: string): Promise<ProviderHeader | undefined> {
  const name = await vscode.window.showInputBox({
    title,
    prompt: 'The name of the header. A header with the same name is replaced.',
    placeHolder: 'Authorization',
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' ? undefined : providerHeaderProblem({ name: text.trim(), value: '-' }),
  });
  if (name === undefined || name.trim() === '') return undefined;
  const value = await vscode.window.showInputBox({
    title,
    prompt: `The value of ${toVisibleText(name.trim())}. It is kept in VS Code’s secret storage, and only the agent gets it.`,
    placeHolder: 'Bearer …',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' ? undefined : providerHeaderProblem({ name: name.trim(), value: text.trim() }),
  });
  if (value === undefined || value.trim() === '') return undefined;
  return { name: name.trim(), value: value.trim() };
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
