import * as vscode from 'vscode';
import type { Position, Range } from '../../editor/common/editorPort';
import type { OutlineSymbol, Place } from '../common/languagePort';

/** Converts VS Code's values to plain objects. */

export function placeOf(
  found: vscode.Location | vscode.LocationLink | { uri: vscode.Uri; range: vscode.Range },
): Place {
  if ('uri' in found) return { path: pathOf(found.uri), range: rangeOf(found.range) };
  const { targetUri, targetRange, targetSelectionRange = targetRange } = found;
  return { path: pathOf(targetUri), range: rangeOf(targetSelectionRange), full: rangeOf(targetRange) };
}

/** Also accepts the flat lists of older language servers. */
export function outlineOf(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
): readonly OutlineSymbol[] {
  return symbols
    .map((symbol): OutlineSymbol => {
      const { name, kind } = symbol;
      if (!('selectionRange' in symbol)) {
        const range = rangeOf(symbol.location.range);
        return { name, kind: symbolKind(kind), detail: '', range, nameRange: range, children: [] };
      }
      const { detail, range, selectionRange, children } = symbol;
      return {
        name,
        kind: symbolKind(kind),
        detail,
        range: rangeOf(range),
        nameRange: rangeOf(selectionRange),
        children: outlineOf(children),
      };
    })
    .sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
}

/** For example `function` or `enum member`. */
export function symbolKind(kind: vscode.SymbolKind): string {
  return vscode.SymbolKind[kind].replace(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase();
}

export function rangeOf({ start, end }: vscode.Range): Range {
  return { start: plain(start), end: plain(end) };
}

export function toPosition({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}

function plain({ line, character }: vscode.Position): Position {
  return { line, character };
}

function pathOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === 'file' ? uri.fsPath : undefined;
}
