import * as vscode from 'vscode';
import { countWithNoun } from '../../base/common/text/countWithNoun';
import { withAbortSignal } from '../../platform/vscode/cancellation';
import type { ContextItem } from '../common/items/contextItem';
import type { ItemList } from '../common/items/itemList';
import { itemsAt } from '../common/items/itemQueries';
import type { DocumentItemsFeed } from './documentItemsFeed';
import { itemMarkdown } from './itemMarkdown';
import { toRange } from './editorPlaces';

/** Maximum number of items in a hover. More items would not fit on a screen. */
const maxItems = 50;

/** Shows all items at a position, smallest range first. At the start of the file, also those of the whole file. */
export class ItemHovers implements vscode.HoverProvider {
  constructor(private readonly feed: Pick<DocumentItemsFeed, 'requestItems'>) {}

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const isEnough = (items: ItemList): boolean => hoveredItems(items, position).length > 0;
    const answer = await withAbortSignal(token, (signal) =>
      this.feed.requestItems(document, { reason: 'hover', signal, isEnough }),
    );
    if (!answer || token.isCancellationRequested) return undefined;
    return hoverOf(hoveredItems(answer.items, position));
  }
}

function hoverOf(items: readonly ContextItem[]): vscode.Hover | undefined {
  const [first] = items;
  if (!first) return undefined;
  const shown = items.slice(0, maxItems).flatMap(itemMarkdown);
  const left = items.length - maxItems;
  if (left > 0) shown.push(new vscode.MarkdownString(`… and ${countWithNoun(left, 'more item')}`));
  return first.range ? new vscode.Hover(shown, toRange(first.range)) : new vscode.Hover(shown);
}

function hoveredItems(items: ItemList, position: vscode.Position): readonly ContextItem[] {
  const atPlace = itemsAt(items, position);
  const isBeginning = position.line === 0 && position.character === 0;
  return isBeginning ? [...atPlace, ...items.wholeFileItems()] : atPlace;
}
