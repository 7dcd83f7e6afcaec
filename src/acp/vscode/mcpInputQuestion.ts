import * as vscode from 'vscode';
import { toVisibleText } from '../../base/common/text/visibleText';
import type { McpInput } from '../common/catalogue/mcpInputs';

/** Asks for an input of an MCP server. The user has allowed the server before. */
export async function askForMcpInput(input: McpInput, file: string): Promise<string | undefined> {
  const title = toVisibleText(`MCP Server Input: ${input.id}`);
  const described = toVisibleText(input.description === '' ? input.id : input.description);
  const shown = { title, ignoreFocusOut: true };
  const where = `Stored for ${toVisibleText(vscode.workspace.asRelativePath(file))} in VS Code’s secret storage`;
  if (input.type === 'promptString') {
    const { default: value = '', password } = input;
    return await vscode.window.showInputBox({ ...shown, prompt: `${described}. ${where}`, value, password });
  }
  const items = input.options.map(({ label, value }) => ({ label: toVisibleText(label), value }));
  const chosen = items.filter(({ value }) => value === input.default);
  const others = items.filter(({ value }) => value !== input.default);
  const picked = await vscode.window.showQuickPick([...chosen, ...others], { ...shown, placeHolder: described });
  return picked?.value;
}
