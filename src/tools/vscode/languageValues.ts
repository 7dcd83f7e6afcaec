import * as vscode from 'vscode';
import type { Position, Range } from '../../editor/common/editorPort';
import type { OutlineSymbol, Place } from '../common/languagePort';

export function toPlace(
  found: vscode.Location | vscode.LocationLink | { uri: vscode.Uri; range: vscode.Range },
): Place {
  if ('uri' in found) return { path: filePathOf(found.uri), range: toRange(found.range) };
  const { targetUri, targetRange, targetSelectionRange = targetRange } = found;
  return { path: filePathOf(targetUri), range: toRange(targetSelectionRange), fullRange: toRange(targetRange) };
}

/** Converts symbols of VS Code, including the flat lists of older language servers. */
export function toOutline(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
): readonly OutlineSymbol[] {
  return symbols
    .map((symbol): OutlineSymbol => {
      const { name, kind } = symbol;
      if (!('selectionRange' in symbol)) {
        const range = toRange(symbol.location.range);
        return { name, kind: symbolKindName(kind), detail: '', range, nameRange: range, children: [] };
      }
      const { detail, range, selectionRange, children } = symbol;
      return {
        name,
        kind: symbolKindName(kind),
        detail,
        range: toRange(range),
        nameRange: toRange(selectionRange),
        children: toOutline(children),
      };
    })
    .sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
}

/** The name of a symbol kind, for example `function` or `enum member`. */
export function symbolKindName(kind: vscode.SymbolKind): string {
  return vscode.SymbolKind[kind].replace(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase();
}

export function toRange({ start, end }: vscode.Range): Range {
  return { start: toPlainPosition(start), end: toPlainPosition(end) };
}

export function toPosition({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}

export function toVsCodeRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(toPosition(start), toPosition(end));
}

function toPlainPosition({ line, character }: vscode.Position): Position {
  return { line, character };
}

export function filePathOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === 'file' ? uri.fsPath : undefined;
}
