import * as vscode from 'vscode';
import { settingIds } from '../../../src/manifest';
import { setSetting } from './workspace';

/** Source of a provider with one item. */
export function itemModule(
  title: string,
  line: number,
  start: number,
  end: number,
  markdown = `${title} says`,
): string {
  const range = { start: { line, character: start }, end: { line, character: end } };
  const item = { title, range, ui: { hover: { markdown } }, ai: { content: `for AI: ${title}` } };
  const items = `(_params, { once }) => (once && asked++ > 0 ? new Promise(() => {}) : [${JSON.stringify(item)}])`;
  return `let asked = 0;\nexport default { capabilities: () => ({ selector: [{ path: '**/{*.txt,.env}' }] }), items: ${items} };\n`;
}

/**
 * Source of a provider that marks the word `alpha` and says how many lines there are. It answers its first question at
 * once; all others only when there is a file `go.txt` beside it.
 */
export const waitingModule = `
import { existsSync } from 'node:fs';
const go = new URL('./go.txt', import.meta.url);
let asked = 0;
export default {
  capabilities: () => ({ selector: [{ path: '**/*.txt' }] }),
  async items({ content }) {
    if (asked++ > 0) while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 20));
    const lines = content.split('\\n');
    const line = lines.findIndex((each) => each.includes('alpha'));
    const range = { start: { line, character: 12 }, end: { line, character: 17 } };
    return [{ title: 'Of' + lines.length, range }];
  },
};
`;

/** Source of a provider that never answers; it makes a file `asked.txt` beside it when it is asked. */
export const hangingModule = `
import { writeFileSync } from 'node:fs';
export default {
  capabilities: () => ({}),
  items() {
    writeFileSync(new URL('./asked.txt', import.meta.url), '');
    return new Promise(() => setInterval(() => {}, 1000));
  },
};
`;

/**
 * Into the settings of the user, which need no permission as long as the modules lie outside the workspace; undefined takes
 * them out.
 */
export async function configureProviders(providers: Readonly<Record<string, unknown>> | undefined): Promise<void> {
  await setSetting(settingIds.contextProviders, providers, vscode.ConfigurationTarget.Global);
}

/** The markdown of all parts of all hovers at a place. */
export async function hoverTexts(document: vscode.TextDocument, position: vscode.Position): Promise<string[]> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    position,
  );
  return hovers.flatMap(({ contents }) =>
    contents.flatMap((content) => (content instanceof vscode.MarkdownString ? content.value : [])),
  );
}

export async function lensTitles(document: vscode.TextDocument): Promise<string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return lenses.flatMap(({ command }) => command?.title ?? []);
}
