import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore } from '../../base/common/disposable';
import { LiveQuickPickItems } from '../../platform/vscode/liveQuickPickItems';
import type { ContextItem } from '../common/items/contextItem';
import type { ContextAnswer } from '../common/items/documentRecord';
import { isSafeLink } from '../common/items/safeLink';
import { escapeIconSyntax, formatItemLines, joinProviderTitles, markdownToText } from '../common/items/itemTexts';
import type { DocumentItemsFeed } from './documentItemsFeed';
import { showHoverAt } from './editorPlaces';

/** The argument of a CodeLens that shows a hover. */
const Place = z.object({
  uri: z.string(),
  line: z.number().int().nonnegative(),
  character: z.number().int().nonnegative(),
});

/** The argument of a CodeLens that opens a link. */
const Link = z.object({ url: z.string().refine(isSafeLink) });

interface ItemPick extends vscode.QuickPickItem {
  readonly item?: ContextItem;
}

const openLink: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: 'Open Link' };

/** `backline.context.showItems`: lists the file's items. With a CodeLens' argument, shows a hover or link. */
export async function runShowItemsCommand(
  feed: Pick<DocumentItemsFeed, 'requestItems' | 'knownItems' | 'onDidChangeItems' | 'explainRefusal'>,
  open: (url: string) => Promise<void>,
  argument: unknown,
): Promise<void> {
  const link = Link.safeParse(argument).data;
  if (link) {
    await open(link.url);
    return;
  }
  const place = Place.safeParse(argument).data;
  if (place) {
    await showHoverAt(vscode.Uri.parse(place.uri, true), place);
    return;
  }
  const document = vscode.window.activeTextEditor?.document;
  if (!document) throw new Error('Open a file to see its context items.');
  const chosen = await pickItem(document, feed, open);
  if (chosen) await showHoverAt(document.uri, chosen.range?.start ?? { line: 0, character: 0 });
}

/** Lets the user choose an item. Shows known items at once, then others. The selected item stays selected. */
async function pickItem(
  document: vscode.TextDocument,
  feed: Pick<DocumentItemsFeed, 'requestItems' | 'knownItems' | 'onDidChangeItems' | 'explainRefusal'>,
  open: (url: string) => Promise<void>,
): Promise<ContextItem | undefined> {
  const disposables = new DisposableStore();
  const pick = disposables.add(vscode.window.createQuickPick<ItemPick>());
  pick.title = `Context Items in ${vscode.workspace.asRelativePath(document.uri)}`;
  pick.placeholder = 'Select an item to go to it, or open its link';
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  const items = disposables.add(new LiveQuickPickItems(pick, isSame));
  let shown: { readonly answer: ContextAnswer | undefined } | undefined;
  const show = (): void => {
    const answer = feed.knownItems(document);
    if (disposables.isDisposed || (shown && shown.answer === answer)) return;
    shown = { answer };
    items.replace(picksOf(answer, feed.explainRefusal(document)));
    pick.busy = (answer?.pendingProviders.length ?? 0) > 0;
  };
  try {
    return await new Promise<ContextItem | undefined>((resolve, reject) => {
      items.onDidAccept(({ item }) => resolve(item));
      disposables.add(pick.onDidHide(() => resolve(undefined)));
      disposables.add(
        pick.onDidTriggerItemButton((event) => {
          const item = items.seenAs(event.item)?.item;
          if (item?.url !== undefined) open(item.url).catch(reject);
        }),
      );
      disposables.add(
        feed.onDidChangeItems((uri) => (uri ?? document.uri.toString()) === document.uri.toString() && show()),
      );
      // If providers answer later, `onDidChangeItems` fires.
      const asked = feed.requestItems(document, { reason: 'explicit', isEnough: (items) => items.length > 0 });
      asked.then(show, reject);
      show();
      pick.show();
    });
  } finally {
    disposables.dispose();
  }
}

function isSame(one: ItemPick, other: ItemPick): boolean {
  return one.label === other.label && one.description === other.description;
}

function picksOf(answer: ContextAnswer | undefined, refusal: string | undefined): ItemPick[] {
  const items = [...(answer?.items ?? [])];
  const wholeFile = items.filter(({ range }) => !range);
  const inFile = items
    .filter(({ range }) => range)
    .sort((a, b) => (a.range?.start.line ?? 0) - (b.range?.start.line ?? 0));
  return [
    ...section('Whole file', wholeFile),
    ...section('In this file', inFile),
    ...remarksOn(answer, refusal).map((label) => ({ label: `$(info) ${label}`, alwaysShow: true })),
  ];
}

function remarksOn(answer: ContextAnswer | undefined, refusal: string | undefined): string[] {
  if (!answer) return [refusal ?? 'No context items loaded for this file yet'];
  const { items, note, pendingProviders, isComplete } = answer;
  if (note !== undefined) return [note];
  if (pendingProviders.length > 0) return [`Still waiting for ${joinProviderTitles(pendingProviders)}`];
  if (!isComplete) return ['Some providers are unavailable. Run “Backline: Show Status” for details'];
  return items.length > 0 ? [] : ['No context items for this file'];
}

function section(label: string, items: readonly ContextItem[]): ItemPick[] {
  if (items.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items.map(pickOf)];
}

function pickOf(item: ContextItem): ItemPick {
  const { title, provider, hover, url } = item;
  const lines = formatItemLines(item)
    .replace(/^\d/, 'line $&')
    .replace(/^line (?=\d+-)/, 'lines ');
  const text = escapeIconSyntax(hover?.text ?? markdownToText(hover?.markdown ?? ''));
  return {
    label: escapeIconSyntax(title),
    description: escapeIconSyntax(lines === '' ? provider.title : `${lines} · ${provider.title}`),
    ...(text === '' ? {} : { detail: text }),
    buttons: url === undefined ? [] : [openLink],
    item,
  };
}
