import * as vscode from 'vscode';
import { Emitter } from '../../base/common/event';
import type { Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { ContextCodeLensMode } from '../../platform/common/settings';
import type { ContextItem } from '../common/items/contextItem';
import { ItemList } from '../common/items/itemList';
import { escapeIconSyntax } from '../common/items/itemTexts';
import type { DocumentItemsFeed } from './documentItemsFeed';
import { toRange } from './editorPlaces';

const maxLenses = 1_000;
const maxTitle = 120;

/** CodeLenses that show the item's hover, or open its link if preferred. Known items do not wait for others. */
export class ItemCodeLenses implements vscode.CodeLensProvider, Disposable {
  private readonly changeEmitter = new Emitter<void>((error) => this.onError(error));
  readonly onDidChangeCodeLenses = this.changeEmitter.event;

  constructor(
    private readonly feed: Pick<DocumentItemsFeed, 'knownItems' | 'requestItems'>,
    private readonly mode: () => ContextCodeLensMode,
    private readonly onError: (error: unknown) => void,
  ) {}

  refresh(): void {
    this.changeEmitter.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const mode = this.mode();
    if (mode === 'off') return [];
    const items = this.feed.knownItems(document)?.items ?? ItemList.empty;
    const shown =
      mode === 'all' ? items.takeEvenlyFromGroups(maxLenses, () => true) : items.wholeFileItems().slice(0, maxLenses);
    return shown.map((item) => lensOf(document.uri, item));
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }
}

function lensOf(uri: vscode.Uri, { title, range, provider, url, prefersLink }: ContextItem): vscode.CodeLens {
  const start = range?.start ?? { line: 0, character: 0 };
  const label = escapeIconSyntax(title);
  const opens = prefersLink === true && url !== undefined;
  return new vscode.CodeLens(range ? toRange(range) : new vscode.Range(0, 0, 0, 0), {
    title: label.length > maxTitle ? `${label.slice(0, maxTitle)}…` : label,
    tooltip: opens ? `${provider.title}: ${url}` : `${provider.title}: show details`,
    command: commandIds.contextShowItems,
    arguments: [opens ? { url } : { uri: uri.toString(), line: start.line, character: start.character }],
  });
}
